import { createHash } from "node:crypto";

/** What a base image is made of. Its hash is the key of the cached image: change it, and the image is built anew. */
export interface BaseRecipe {
  readonly reference: string;
  readonly suite: string;
  /** Which packages there are beside those named: see mmdebstrap. Default: minbase. */
  readonly variant?: "minbase" | "essential";
  readonly packages: readonly string[];
  /** Paths that dpkg leaves out. */
  readonly exclude: readonly string[];
  /** Paths that only the installation needs. Default: none. */
  readonly remove?: readonly string[];
}

/** For images with mysqld, and for those of tests. */
export const baseRecipe: BaseRecipe = {
  reference: "localhost/moco-ts/base:sid",
  suite: "sid",
  packages: [
    "ca-certificates",
    "curl",
    "mysql-client-core",
    "mysql-server-core",
    "nodejs",
    "procps",
    // moco-init loads time zones into mysqld.
    "tzdata",
  ],
  // They are a third of the size, and nothing in a pod reads them.
  exclude: [
    "/usr/share/doc/*",
    "/usr/share/info/*",
    "/usr/share/locale/*",
    "/usr/share/man/*",
    "/usr/share/perl/*",
    "/usr/lib/*/gconv/*",
    "/usr/lib/*/perl/*",
    "/usr/lib/mysql/plugin/*_client.so",
    // Each of these links all of MySQL's client library.
    "/usr/bin/ibd2sdi",
    "/usr/bin/innochecksum",
    "/usr/bin/myisam*",
    "/usr/bin/mysql_config_editor",
    "/usr/bin/mysql_migrate_keyring",
    "/usr/bin/mysql_secure_installation",
    "/usr/bin/mysqlcheck",
    "/usr/bin/mysqlimport",
    "/usr/bin/mysqlshow",
    "/usr/bin/mysqlslap",
    "/usr/bin/perror",
  ],
};

/** For programs of Node: nothing but Node, what it needs, and a shell. */
export const nodeRecipe: BaseRecipe = {
  reference: "localhost/moco-ts/node:24",
  suite: "sid",
  variant: "essential",
  packages: ["ca-certificates", "nodejs"],
  exclude: [
    "/usr/share/bash-completion/*",
    "/usr/share/doc/*",
    "/usr/share/info/*",
    "/usr/share/lintian/*",
    "/usr/share/locale/*",
    "/usr/share/man/*",
    "/usr/share/perl/*",
    "/usr/lib/*/gconv/*",
    "/usr/lib/*/perl/*",
  ],
  // Packages are configured by programs in Perl.
  remove: ["/usr/bin/perl*", "/usr/lib/*/perl-base", "/usr/share/perl5", "/var/cache/debconf/*"],
};

/** Our base images by the names that Containerfiles know public ones by: `ARG BASE=node:24-slim`. */
export function recipeFor(publicBase: string): BaseRecipe {
  return publicBase.startsWith("node:") ? nodeRecipe : baseRecipe;
}

export function recipeKey(recipe: BaseRecipe): string {
  return createHash("sha256").update(JSON.stringify(recipe)).digest("hex");
}
