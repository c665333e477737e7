import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { cacheDirectory } from "./system/cache.ts";

// Half of the time of a short command would go into reading its own source.
enableCompileCache(join(cacheDirectory(), "node"));
const { program } = await import("./commands/program.ts");

try {
  await program().parseAsync();
} catch (error) {
  console.error(`local-kubernetes: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
