import { createInterface } from "node:readline/promises";
import { loadKubeconfig } from "@moco-ts/kube";

export interface Choice {
  readonly kubeconfigPath: string;
  /** Where nodes find this project's images. */
  readonly images: string;
}

export interface ChoiceOptions {
  readonly kubeconfigPath: string | undefined;
  readonly existing: boolean;
  readonly images: string | undefined;
  readonly signal: AbortSignal;
  /** Ctrl-C, which a terminal does not turn into a signal while it is asked. */
  readonly interrupt: () => void;
}

/** What was asked for can't be done. */
export class UsageError extends Error {}

/** The existing cluster that the flags, or the person at the terminal, want to see the demo on. Undefined: none. */
export async function chooseExisting(options: ChoiceOptions): Promise<Choice | undefined> {
  const { kubeconfigPath, existing, images } = options;
  if (existing) return complete(kubeconfigPath, images);
  if (!kubeconfigPath) return undefined;
  if (!(process.stdin.isTTY && process.stdout.isTTY)) {
    console.log(
      "KUBECONFIG is set: `make demo EXISTING=1 IMAGES=registry.example.com/moco` would use that cluster instead.",
    );
    return undefined;
  }
  return offer(kubeconfigPath, options);
}

async function offer(kubeconfigPath: string, options: ChoiceOptions): Promise<Choice | undefined> {
  const { server } = await loadKubeconfig({ environment: { ...process.env, KUBECONFIG: kubeconfigPath } });
  const { signal, interrupt } = options;
  const terminal = createInterface({ input: process.stdin, output: process.stdout }).on("SIGINT", interrupt);
  try {
    const answer = await terminal.question(`KUBECONFIG is set: use the cluster at ${server}? [y/N] `, { signal });
    if (!/^y(es)?$/i.test(answer.trim())) return undefined;
    const question = "Where do its nodes find this project's images (such as registry.example.com/moco)? ";
    return complete(kubeconfigPath, options.images ?? (await terminal.question(question, { signal })).trim());
  } finally {
    terminal.close();
  }
}

function complete(kubeconfigPath: string | undefined, images: string | undefined): Choice {
  if (!kubeconfigPath) throw new UsageError("an existing cluster is named by KUBECONFIG, which is not set");
  if (!images)
    throw new UsageError(
      "an existing cluster needs to know where its nodes find the images of this project:\n" +
        "      --images registry.example.com/moco (`make release` makes them; put them into a registry of yours)",
    );
  return { kubeconfigPath, images };
}
