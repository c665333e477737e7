/** explain: tells a person what the program sees of a claim, and what it will do about it. */
import { CodedError, describeError } from "@moco-ts/base";
import {
  isNotFound,
  Nodes,
  PersistentVolumeClaims,
  StorageClasses,
  type Client,
  type StorageClass,
} from "@moco-ts/kube";
import type { Rules } from "../decision/decide.ts";
import { GrowingGroups } from "../groups.ts";
import type { UsageSource } from "../usage/usage.ts";
import { explanation } from "./text.ts";

export interface ExplainOptions {
  readonly client: Client;
  readonly source: UsageSource;
  readonly rules: Rules;
  readonly now: number;
}

/** The explanation of a claim. It knows nothing of earlier rounds, for which a running program may wait. */
export async function explain(
  key: { readonly namespace: string; readonly name: string },
  { client, source, rules, now }: ExplainOptions,
  signal: AbortSignal,
): Promise<string> {
  const { namespace, name } = key;
  const [{ items: claims }, { volumes, failures }] = await Promise.all([
    client.list(PersistentVolumeClaims, { namespace, signal }),
    source.read(signal),
  ]);
  const claim = claims.find(({ metadata }) => metadata?.name === name);
  if (claim === undefined)
    throw new CodedError("CLAIM_MISSING", `there is no PersistentVolumeClaim ${namespace}/${name}`);
  const storageClass = await readStorageClass(client, claim.spec?.storageClassName, signal);
  const groupRequest = new GrowingGroups(claims).requestFor(claim);
  const snapshot = { claim, storageClass, usage: volumes.get(`${namespace}/${name}`), groupRequest };
  const problems = failures.map((failure) => `No statistics from ${failure.source}: ${describeError(failure.error)}`);
  return [explanation(snapshot, rules, now), ...problems, ""].join("\n");
}

/** Names of all nodes. */
export async function readNodes(client: Client, signal: AbortSignal): Promise<string[]> {
  const { items } = await client.list(Nodes, { metadataOnly: true, signal });
  return items.map(({ metadata }) => metadata?.name ?? "");
}

async function readStorageClass(
  client: Client,
  name: string | undefined,
  signal: AbortSignal,
): Promise<StorageClass | undefined> {
  if (!name) return undefined;
  try {
    return await client.get(StorageClasses, { name }, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
