import { run } from "../system/run.ts";

/**
 * The Debian mirror that this machine is set up to use.
 *
 * apt itself reads its sources, in whatever format and place they are.
 *
 * @returns undefined if there is none: mmdebstrap then uses Debian's own
 */
export async function debianMirror(signal?: AbortSignal): Promise<string | undefined> {
  return mirrorIn(await run("apt-get", ["update", "--print-uris"], { signal }));
}

/** @param text the output of `apt-get update --print-uris`, with lines like `'http://host/debian/dists/SUITE/InRelease' ...` */
export function mirrorIn(text: string): string | undefined {
  for (const [, mirror, suite] of text.matchAll(/^'(\S+\/debian\/?)\/dists\/([^/']+)\/InRelease'/gm)) {
    if (!suite?.includes("security")) {
      return mirror;
    }
  }
  return undefined;
}
