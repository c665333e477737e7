import type { Leadership } from "../leadership.ts";
import type { Mysqld } from "../mysqld.ts";
import type { World } from "../world.ts";

/** What a fault needs to happen, and to end. */
export interface FaultContext {
  readonly world: World;
  readonly leadership: Leadership;
  /** The recorded primary, if it runs. */
  readonly primary: () => Mysqld | undefined;
  /** Anybody, and the primary more often than others. */
  readonly victim: () => Mysqld | undefined;
  readonly replica: () => Mysqld | undefined;
  readonly tell: (what: string) => void;
  /** It lasts for so many milliseconds, or until all is to be calm. */
  readonly lasting: (milliseconds: number, end: () => void) => void;
}

export type Fault = (context: FaultContext) => void;
