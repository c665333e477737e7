import type { Command } from "commander";
import { usageError } from "../failure.ts";
import { print } from "../io.ts";
import type { Tools } from "../tools.ts";
import { complete, formatCompletion, type ValueFinder } from "./complete.ts";
import { scripts, shells } from "./scripts.ts";

export function addCompletion(program: Command, tools: Tools, findValues: ValueFinder): void {
  program
    .command("completion")
    .description("Print a script by which a shell completes command lines of kubectl-moco.")
    .argument("<shell>", shells.join(", "))
    .addHelpText("after", examples)
    .action(async (shell: string) => {
      const known = shells.find((each) => each === shell);
      if (!known) throw usageError(`unknown shell: ${shell}`, `It is one of ${shells.join(", ")}.`);
      await print(tools.io.stdout, scripts[known]);
    });
  program
    .command("__complete", { hidden: true })
    .description("Print what may stand where the cursor is.")
    .argument("[words...]", "the command line up to the cursor, whose word may be empty")
    .action(async (words: string[]) => {
      await print(tools.io.stdout, formatCompletion(await complete(program, words, findValues)));
    });
}

const examples = `
Examples:
  # For "kubectl moco", where kubectl's own completion is set up: a second name beside the program
  ln -s kubectl-moco "$(dirname "$(command -v kubectl-moco)")/kubectl_complete-moco"

  # For "kubectl-moco" in bash, in ~/.bashrc
  source <(kubectl-moco completion bash)

  # In zsh, in ~/.zshrc
  source <(kubectl-moco completion zsh)

  # In fish
  kubectl-moco completion fish > ~/.config/fish/completions/kubectl-moco.fish`;
