/** `node tools/bundle/main.ts`: prepares build/images for `make images`; with --cli build/kubectl-moco for `make cli`. */
import { prepareCli, prepareImages } from "./programs.ts";

if (process.argv.includes("--help")) {
  console.log(
    "Bundles our programs into build/images, beside their Containerfiles; with --cli kubectl-moco into build.",
  );
} else if (process.argv.includes("--cli")) console.log(await prepareCli());
else console.log(await prepareImages());
