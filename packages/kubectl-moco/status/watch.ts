import type { ClusterKey } from "@moco-ts/api";
import { isAbort } from "@moco-ts/base";
import { followView, type ClusterView, type ViewOptions } from "@moco-ts/view";
import { print, printLine } from "../io.ts";
import type { Tools } from "../tools.ts";
import type { Format } from "./command.ts";
import { openScreen } from "./screen.ts";

/** Shows a cluster as it changes: in place on a terminal, one after the other elsewhere. Ctrl-C is its regular end. */
export async function watchStatus(
  key: ClusterKey,
  options: ViewOptions,
  { io, signal }: Pick<Tools, "io" | "signal">,
  { format, isPicture }: { readonly format: Format; readonly isPicture: boolean },
): Promise<void> {
  const { stdout } = io;
  const screen = isPicture && stdout.isTTY ? openScreen(stdout) : undefined;
  let last: ClusterView | undefined;
  try {
    for await (const view of followView(key, options, signal)) {
      if (screen) screen.show(format(view));
      else if (!last || essence(view) !== essence(last))
        await print(stdout, (last && isPicture ? "\n" : "") + format(view));
      last = view;
    }
    screen?.close();
    await printLine(io.stderr, `MySQLCluster "${key.namespace}/${key.name}" was deleted`);
  } catch (error) {
    screen?.close();
    if (!signal.aborted || !isAbort(error, signal)) throw error;
    // What was seen last stays on the terminal.
    if (screen && last) await print(stdout, format(last));
  }
}

/** What is new at every look although nothing has happened. */
const restless = new Set(["time", "uptime", "heardAgo"]);

function essence(view: ClusterView): string {
  return JSON.stringify(view, (name: string, value: unknown) => (restless.has(name) ? undefined : value));
}
