/** What the changelog says of a version: its section, from `## 1.2.3 - 2026-01-31` to the next. */
export interface Entry {
  readonly version: string;
  /** Undefined if it has not been released. */
  readonly date: string | undefined;
  readonly text: string;
}

export function entriesOf(changelog: string): Entry[] {
  const [, ...sections] = changelog.split(/^## /m);
  return sections.map((section) => {
    const [heading = "", ...lines] = section.split("\n");
    const [version = "", date] = heading.trim().split(" - ");
    return { version, date, text: lines.join("\n").trim() };
  });
}

/** The notes of a release. `draft`: what is not released yet will do, to try the release itself. */
export function notesOf(changelog: string, version: string, draft: boolean): string {
  const entries = entriesOf(changelog);
  const entry = entries.find((each) => each.version === version) ?? (draft ? entries[0] : undefined);
  if (entry === undefined) throw new Error(`CHANGELOG.md has no entry "## ${version} - YYYY-MM-DD"`);
  if (entry.text === "") throw new Error(`the entry of ${entry.version} in CHANGELOG.md says nothing`);
  const isDated = /^\d{4}-\d{2}-\d{2}$/.test(entry.date ?? "");
  if (!isDated && !draft)
    throw new Error(`the entry of ${version} in CHANGELOG.md has no date (## ${version} - YYYY-MM-DD)`);
  return `${entry.text}\n`;
}

const semantic = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$/;

export function checkVersion(version: string, packageVersion: string): void {
  if (!semantic.test(version)) throw new Error(`not a version: ${JSON.stringify(version)} (example: 1.2.3)`);
  if (version !== packageVersion)
    throw new Error(`package.json says ${packageVersion}, and not ${version}: change it first`);
}
