/** A package as package-lock.json has it. */
interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  /** A workspace of ours: where it is. */
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, Locked>>;
}

export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
  /** SHA-512 of the package in hexadecimal digits. */
  readonly sha512: string | undefined;
}

/** Everything that a workspace is built from beside our own code, as it is locked: each version once, by name. */
export function npmPackagesOf({ packages }: LockFile, workspace: string): NpmPackage[] {
  const found = new Map<string, NpmPackage>();
  const visited = new Set<string>();
  const visit = (path: string): void => {
    if (visited.has(path)) return;
    visited.add(path);
    const { dependencies = {}, optionalDependencies = {} } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = placeOf(packages, path, name);
      // Of optional packages only those are locked that some platform needs.
      if (place === undefined) continue;
      const { link, resolved = "", version = "", license, integrity } = packages[place]!;
      if (link) visit(resolved);
      else {
        found.set(`${name}@${version}`, { name, version, license, sha512: digestOf(integrity) });
        visit(place);
      }
    }
  };
  visit(workspace);
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** As Node finds it: in the nearest node_modules. */
function placeOf(packages: LockFile["packages"], from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const place = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === "") return undefined;
  }
}

function digestOf(integrity: string | undefined): string | undefined {
  const [, base64] = /^sha512-(.+)$/.exec(integrity ?? "") ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, "base64").toString("hex");
}
