/** Makes of a program the one file that its image needs. */
export { bundle } from "./bundle.ts";
export { prepareCli, prepareImages } from "./programs.ts";
