/** Names of the metrics that a PromQL expression reads. Knows as much of the language as this project's charts use. */
export function metricsOf(expression: string): string[] {
  const bare = expression
    .replace(/"(?:[^"\\]|\\.)*"/g, "")
    .replace(/\{[^}]*\}/g, "")
    .replace(/\[[^\]]*\]/g, "")
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, "");
  const words = [...bare.matchAll(/(?<![\w.:])([a-zA-Z_:][\w:]*)\s*(\(?)/g)];
  const metrics = words.filter(([, word, bracket]) => bracket === "" && !operators.has(word!)).map(([, word]) => word!);
  return [...new Set(metrics)];
}

const operators = new Set(["and", "or", "unless", "offset", "bool"]);
