/** Makes of a program the one file that its image needs. */
export { bundle } from "./bundle.ts";
export { prepareImages } from "./programs.ts";
