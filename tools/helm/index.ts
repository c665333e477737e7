export { charts, type ChartName } from "./charts.ts";
export { helm, installChart, removeChart, type HelmOptions, type InstallOptions } from "./helm.ts";
