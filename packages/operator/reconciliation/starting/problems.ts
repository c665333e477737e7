/** starting: tells why instances don't start, in the words of what did not start. */
import { containerNames } from "@moco-ts/api";
import type { ContainerStateTerminated, ContainerStatus, Pod, Predicate } from "@moco-ts/kube";

/** A container that does not start. */
export interface StartProblem {
  readonly pod: string;
  readonly container: string;
  readonly text: string;
  /** Where to put it right, or to look for more. */
  readonly remedy: "options" | "logs" | "image" | undefined;
}

type Finding = Pick<StartProblem, "text" | "remedy">;

/** Milliseconds. Who ended sooner than this after his start has not started; who ended later was ended. */
const shortRun = 60_000;
/** A container waits for these as a matter of course. */
const ordinaryWaits = ["ContainerCreating", "PodInitializing", "CrashLoopBackOff"];
const imageProblems = ["ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName"];

export function startProblems(pods: readonly Pod[]): StartProblem[] {
  return pods.flatMap(({ metadata, status }) => {
    // What is ending anyway may end in any way.
    if (metadata?.deletionTimestamp !== undefined) return [];
    return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].flatMap((each) => {
      const finding = describe(each);
      return finding ? [{ pod: metadata?.name ?? "", container: each.name, ...finding }] : [];
    });
  });
}

/** Whether a change of a Pod is one of what there is to say of it. */
export const startChanged: Predicate<Pod> = (change) => {
  const said = (pod: Pod): string => JSON.stringify(startProblems([pod]));
  return said(change.object) !== (change.type === "updated" ? said(change.old) : "[]");
};

function describe({ name, image, state = {}, lastState = {}, started = false, ready }: ContainerStatus) {
  if (started || ready) return undefined;
  const { reason = "", message = "" } = state.waiting ?? {};
  // The kubelet says it in another way each time.
  if (imageProblems.includes(reason)) return { text: `its image ${image} can't be pulled`, remedy: "image" } as const;
  if (reason !== "" && !ordinaryWaits.includes(reason)) {
    return { text: `${reason}: ${oneLine(message)}`, remedy: undefined };
  }
  const end = state.terminated ?? lastState.terminated;
  if (end === undefined || end.exitCode === 0) return undefined;
  return reason === "CrashLoopBackOff" || wasShort(end) ? explain(name, end) : undefined;
}

function explain(container: string, { exitCode, reason, message }: ContainerStateTerminated): Finding {
  if (reason === "OOMKilled") return { text: "its memory limit is too small (OOMKilled)", remedy: "logs" };
  const said = oneLine(message ?? "");
  if (said === "") return { text: `it ended with code ${exitCode}`, remedy: "logs" };
  // Process 1 of mysqld says something only of options that mysqld refuses.
  return { text: said, remedy: container === containerNames.mysqld ? "options" : "logs" };
}

function oneLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim().replace(/\.$/, ""));
  return lines.filter((line) => line !== "" && line !== "Aborting").join("; ");
}

function wasShort({ startedAt, finishedAt }: ContainerStateTerminated): boolean {
  return Date.parse(finishedAt ?? "") - Date.parse(startedAt ?? "") < shortRun;
}
