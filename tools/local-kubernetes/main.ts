import { program } from "./commands/program.ts";

try {
  await program().parseAsync();
} catch (error) {
  console.error(`local-kubernetes: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
