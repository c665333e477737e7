import type { ContainerStatus, Pod } from "@moco-ts/kube";

/**
 * What keeps a Pod from becoming Ready, for people; undefined if nothing is seen to fail. The text stays the same as long
 * as the problem does, though Kubernetes' own texts alternate between an attempt and the wait for the next one.
 */
export function problemOf({ status }: Pod): string | undefined {
  if (status?.phase === "Failed") return `the pod has ended (${status.reason ?? "Failed"}): ${status.message ?? ""}`;
  const conditions = status?.conditions ?? [];
  if (conditions.some(({ type, status }) => type === "Ready" && status === "True")) return undefined;
  const scheduled = conditions.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False" && scheduled.reason === "Unschedulable") {
    return `no node takes it: ${scheduled.message ?? ""}`;
  }
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return containers.map(containerProblem).find((problem) => problem !== undefined);
}

const imageReasons = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
  "RegistryUnavailable",
  "SignatureValidationFailed",
]);

/** What a container that has not been tried yet waits for. */
const starting = new Set(["ContainerCreating", "PodInitializing"]);

function containerProblem({ name, image, ready, state, lastState }: ContainerStatus): string | undefined {
  const { reason = "", message } = state?.waiting ?? {};
  if (imageReasons.has(reason)) return `the image ${image} of container ${name} can't be pulled`;
  const ends = [state?.terminated, lastState?.terminated].filter((each) => each !== undefined);
  const end = ends.find(({ exitCode }) => exitCode !== 0 || reason === "CrashLoopBackOff");
  // What failed once and became ready since does not fail.
  if (end && !ready) return `container ${name} ends with exit code ${end.exitCode} (${end.reason ?? "Error"})`;
  if (reason === "" || starting.has(reason)) return undefined;
  return `container ${name} can't start (${reason})${message ? `: ${message}` : ""}`;
}
