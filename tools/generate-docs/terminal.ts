/** A picture of what a program prints on a terminal, with its colours. */
export function terminalPicture(command: string, output: string): string {
  const lines = [`$ ${command}`, ...output.trimEnd().split("\n")];
  const columns = Math.max(...lines.map((line) => line.replaceAll(escapes, "").length));
  const [width, height] = [Math.ceil(columns * character) + 2 * margin, lines.length * lineHeight + 2 * margin];
  const texts = lines.map(
    (line, index) => `  <text x="${margin}" y="${margin + (index + 0.75) * lineHeight}">${spans(line)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${escaped(command)}">`,
    `  <rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    `  <g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="#e6edf3" xml:space="preserve">`,
    ...texts,
    "  </g>",
    "</svg>",
    "",
  ].join("\n");
}

const margin = 16;
const lineHeight = 19;
/** Width of a character of the usual fonts at this size. */
const character = 7.83;
// oxlint-disable-next-line no-control-regex -- that is how terminals are told of colours
const escapes = /\u001b\[([\d;]*)m/g;

/** What terminals are told, as a style. */
const styles: Readonly<Record<string, string>> = {
  "1": "font-weight:bold",
  "90": "fill:#8b949e",
  "31": "fill:#ff7b72",
  "32": "fill:#7ee787",
  "33": "fill:#e3b341",
};

/** Text between two codes has the style of all codes since the last end of styles. */
function spans(line: string): string {
  const [first = "", ...parts] = line.split(escapes);
  let style: string[] = [];
  let text = escaped(first);
  for (let at = 0; at < parts.length; at += 2) {
    for (const code of parts[at]!.split(";")) {
      const known = styles[code];
      // All others end what was begun.
      style = known === undefined ? [] : [...style, known];
    }
    const content = escaped(parts[at + 1] ?? "");
    if (content !== "") text += style.length === 0 ? content : `<tspan style="${style.join(";")}">${content}</tspan>`;
  }
  return text;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
