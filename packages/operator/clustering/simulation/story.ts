/** What happened, for people: who did what, and when. */
export class Story {
  readonly lines: string[] = [];
  readonly #now: () => number;
  /** Building sentences takes time that only a seed which fails is worth. */
  readonly isTold: boolean;

  constructor(now: () => number, isTold: boolean) {
    this.#now = now;
    this.isTold = isTold;
  }

  tell(who: string, what: string | (() => string)): void {
    if (!this.isTold) return;
    const time = (this.#now() / 1000).toFixed(3).padStart(8);
    this.lines.push(`${time}  ${who.padEnd(12)} ${typeof what === "string" ? what : what()}`);
  }
}
