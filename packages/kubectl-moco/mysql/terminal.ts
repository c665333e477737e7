import type { Terminal } from "@moco-ts/kube";
import type { Input, Output } from "../io.ts";

/** Hands every key to the other side, Ctrl-C too, until it is disposed of. */
export function enterTerminal(stdin: Input, stdout: Output): Terminal & Disposable {
  stdin.setRawMode?.(true);
  return {
    onSize(callback) {
      const report = (): void => callback({ columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 });
      report();
      stdout.on("resize", report);
      return () => stdout.off("resize", report);
    },
    [Symbol.dispose]() {
      stdin.setRawMode?.(false);
    },
  };
}
