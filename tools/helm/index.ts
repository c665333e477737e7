export { charts, type ChartName } from "./charts.ts";
export { forbiddenRequests } from "./forbidden.ts";
export { helm, installChart, removeChart, type HelmOptions, type InstallOptions } from "./helm.ts";
