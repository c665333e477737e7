import type { ContainerStatus, Pod } from "@moco-ts/kube";

export interface PodStatusView {
  /** One word or two, as kubectl prints it. */
  readonly status: string;
  /** What the kubelet or the scheduler says about it. */
  readonly problem?: string;
}

/** Why a container waits that will not start by itself, or only after somebody has done something. */
const failures = new Set([
  "CrashLoopBackOff",
  "ImagePullBackOff",
  "ErrImagePull",
  "ErrImageNeverPull",
  "InvalidImageName",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
]);

export function podStatusOf(pod: Pod): PodStatusView {
  const { metadata, status = {} } = pod;
  if (metadata?.deletionTimestamp) return { status: "Terminating" };
  const { phase = "Unknown", reason, message, conditions = [] } = status;
  const waiting = problemOfContainers(pod);
  if (waiting) return waiting;
  const scheduled = conditions.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False") {
    return { status: "Pending", ...(scheduled.message && { problem: scheduled.message }) };
  }
  return { status: reason ?? phase, ...(message && { problem: message }) };
}

/** True if the Pod will hardly become Ready without somebody's help. */
export function isFailing(pod: Pod): boolean {
  const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.reason === "Unschedulable" || pod.status?.phase === "Failed") return true;
  return containersOf(pod).some(({ state }) => failures.has(state?.waiting?.reason ?? ""));
}

export function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

export function restartsOf(pod: Pod): number {
  return containersOf(pod).reduce((sum, { restartCount }) => sum + restartCount, 0);
}

function containersOf({ status }: Pod): ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function problemOfContainers(pod: Pod): PodStatusView | undefined {
  const initial = new Set(pod.status?.initContainerStatuses ?? []);
  for (const container of containersOf(pod)) {
    const { name, state, lastState } = container;
    const prefix = initial.has(container) ? "Init:" : "";
    const { waiting, terminated } = state ?? {};
    if (waiting?.reason && failures.has(waiting.reason)) {
      const said = waiting.message ?? ended(lastState?.terminated);
      return { status: prefix + waiting.reason, problem: said ? `${name}: ${said}` : `${name} can't be started` };
    }
    if (terminated && terminated.exitCode !== 0) {
      return { status: prefix + (terminated.reason ?? "Error"), problem: `${name} ${ended(terminated)}` };
    }
    // Init containers run one after the other: the first that is not done is the one that matters.
    if (prefix && !terminated) return { status: `Init:${name}` };
  }
  return undefined;
}

function ended(terminated: { exitCode: number; reason?: string } | undefined): string | undefined {
  return (
    terminated && `ended with exit code ${terminated.exitCode}${terminated.reason ? ` (${terminated.reason})` : ""}`
  );
}
