import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Definitions of other projects that charts make objects of: the real ones, out of their Go modules. */
const modules = [
  {
    module: "github.com/prometheus-operator/prometheus-operator@v0.85.0",
    files: ["podmonitors", "prometheusrules"].map(
      (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
    ),
  },
  {
    module: "github.com/cert-manager/cert-manager@v1.21.2",
    files: ["deploy/crds/cert-manager.io_certificates.yaml"],
  },
];

/** Paths of their files, which Go keeps. */
export async function foreignDefinitions(): Promise<string[]> {
  const paths: string[] = [];
  for (const { module, files } of modules) {
    // Anywhere but in this project, which has modules of its own.
    const { stdout } = await run("go", ["mod", "download", "-json", module], { cwd: tmpdir() });
    const { Dir: directory } = JSON.parse(stdout) as { Dir: string };
    paths.push(...files.map((file) => join(directory, file)));
  }
  return paths;
}
