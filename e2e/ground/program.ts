import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The path of the program local-kubernetes. */
export const program = join(dirname(createRequire(import.meta.url).resolve("@moco-ts/local-kubernetes")), "main.ts");
