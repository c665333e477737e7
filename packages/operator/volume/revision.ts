import { ControllerRevisions, isNotFound, type Client, type PodTemplateSpec, type StatefulSet } from "@moco-ts/kube";

/**
 * In the middle of a rolling update, the template of the Pods that are still to be updated. Undefined if there is no such
 * update, if nothing holds it back, or if Kubernetes has forgotten that template.
 */
export async function templateBeforeUpdate(
  client: Client,
  { metadata, spec, status }: StatefulSet,
  signal: AbortSignal,
): Promise<PodTemplateSpec | undefined> {
  const { currentRevision: name, updateRevision, observedGeneration } = status ?? {};
  const isGuarded = (spec?.updateStrategy?.rollingUpdate?.partition ?? 0) > 0;
  const isUpdated = name === updateRevision && observedGeneration === metadata?.generation;
  if (!name || !isGuarded || isUpdated) return undefined;
  try {
    const { data } = await client.get(ControllerRevisions, { namespace: metadata?.namespace, name }, { signal });
    const { $patch: _, ...template } = (data as { spec: { template: PodTemplateSpec & { $patch?: string } } }).spec
      .template;
    return template;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
