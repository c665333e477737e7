import type { Logger } from "@moco-ts/base";

/** A server that warns with ever new texts must not fill our memory. */
const mostRemembered = 1000;

/** Logs what the server warns of (deprecated versions, unknown fields), each text once. */
export function createWarningLog(logger: Logger): (header: string | string[] | undefined) => void {
  const seen = new Set<string>();
  return (header) => {
    if (header === undefined) return;
    for (const text of parseWarnings(header)) {
      if (seen.has(text) || seen.size >= mostRemembered) continue;
      seen.add(text);
      logger.warn("the API server warns", { warning: text });
    }
  };
}

/** The texts of `299 - "text"` entries; several come as a list or joined by commas. */
export function parseWarnings(header: string | string[]): string[] {
  const joined = Array.isArray(header) ? header.join(",") : header;
  const entries = joined.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g);
  return Array.from(entries, ([, quoted]) => quoted!.replace(/\\(.)/g, "$1"));
}
