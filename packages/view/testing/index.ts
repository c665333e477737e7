/** For tests of other packages. */
export { scenes } from "./scenes.ts";
