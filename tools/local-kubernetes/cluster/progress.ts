import type { Report } from "../system/report.ts";

/** Tells what is done, with the time since the beginning. */
export class Progress {
  private readonly report: Report;
  private readonly start = performance.now();

  constructor(report: Report) {
    this.report = report;
  }

  /** Something is done. */
  done(text: string): void {
    const seconds = (performance.now() - this.start) / 1000;
    this.report(`${seconds.toFixed(1).padStart(6)} s  ${text}`);
  }
}
