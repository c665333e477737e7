import { Command } from "commander";
import { diagnose } from "../cluster/diagnose.ts";

export function doctorCommand(): Command {
  return new Command("doctor")
    .description("check whether a cluster can run on this machine, and say what to do if not")
    .action(async () => {
      const findings = await diagnose();
      for (const { ok, what, remedy } of findings) {
        console.log(`${ok ? "ok     " : "MISSING"}  ${what}${ok ? "" : `: ${remedy}`}`);
      }
      if (findings.some(({ ok }) => !ok)) {
        process.exitCode = 1;
      }
    });
}
