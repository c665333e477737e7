/** `node tools/bundle/main.ts`: prepares build/images for `make images`. */
import { prepareImages } from "./programs.ts";

if (process.argv.includes("--help"))
  console.log("Bundles our programs into build/images, beside their Containerfiles.");
else console.log(await prepareImages());
