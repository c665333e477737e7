/** For programs that simulate clusters: see docs/simulator.md. */
import { act } from "../act/act.ts";
import { decide } from "../decide/decide.ts";
import type { Subject } from "./operator.ts";

export { GtidSets } from "./gtids.ts";
export { simulate, type Outcome, type SimulationOptions } from "./simulate.ts";

/** The operator's own code. */
export const operatorCode: Subject = { decide, act };
