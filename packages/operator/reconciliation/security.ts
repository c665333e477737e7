import type { AnyPartOf } from "@moco-ts/api";
import type { PodSecurityContext, SecurityContext } from "@moco-ts/kube";

/** User and group of everything that runs in the Pods: that of MOCO's images, and of the files on existing volumes. */
const mocoId = 10_000;

/** What the controller's flags say about all Pods. */
export interface PodSettings {
  /** Whether Pods run as user and group 10000 where nothing else is given. Default: true. */
  readonly defaultSecurityContext?: boolean;
}

export function containerSecurity(
  given: AnyPartOf<SecurityContext> | undefined,
  { defaultSecurityContext = true }: PodSettings,
): AnyPartOf<SecurityContext> {
  return { ...(defaultSecurityContext && { runAsUser: mocoId, runAsGroup: mocoId }), ...given };
}

/** Volumes are made accessible once: walking through millions of files at each start would take minutes. */
export function podSecurity(
  given: AnyPartOf<PodSecurityContext> | undefined,
  { defaultSecurityContext = true }: PodSettings,
): AnyPartOf<PodSecurityContext> {
  return { ...(defaultSecurityContext && { fsGroup: mocoId }), fsGroupChangePolicy: "OnRootMismatch", ...given };
}
