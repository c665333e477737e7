import { execFile } from "node:child_process";
import { resolveBinary, sharedControlPlane } from "@moco-ts/local-kubernetes";

export interface Answer {
  readonly status: number;
  readonly output: string;
  readonly problems: string;
}

/** Runs kubectl as a user would: what is given as input is read with `-f -`. */
export async function kubectl(args: readonly string[], input = ""): Promise<Answer> {
  const { kubeconfigPath } = await sharedControlPlane();
  const program = await resolveBinary("kubectl");
  return new Promise((resolve) => {
    const child = execFile(program, ["--kubeconfig", kubeconfigPath, ...args], (error, output, problems) => {
      resolve({ status: error === null ? 0 : Number(error.code ?? 1), output, problems });
    });
    child.stdin!.end(input);
  });
}
