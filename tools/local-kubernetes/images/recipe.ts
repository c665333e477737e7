import { createHash } from "node:crypto";

/** What the base image is made of. Its hash is the key of the cached image: change it, and the image is built anew. */
export const baseRecipe = {
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
  /** Paths that dpkg leaves out: they are a third of the size, and nothing in a pod reads them. */
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

export type BaseRecipe = typeof baseRecipe;

export function recipeKey(recipe: BaseRecipe): string {
  return createHash("sha256").update(JSON.stringify(recipe)).digest("hex");
}
