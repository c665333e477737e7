import { join } from "node:path";

const folder = join(import.meta.dirname, "../../charts");

/** Folders of this project's charts. */
export const charts = {
  moco: join(folder, "moco"),
  "pvc-autoresizer": join(folder, "pvc-autoresizer"),
} as const;

export type ChartName = keyof typeof charts;
