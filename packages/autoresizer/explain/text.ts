import { formatDuration } from "@moco-ts/base";
import { annotationKeys, type AnnotationKey } from "../annotations.ts";
import { amountOf } from "../decision/amounts.ts";
import { decide, type Rules } from "../decision/decide.ts";
import type { Plan } from "../decision/plan.ts";
import {
  annotation,
  AnnotationError,
  limitSettingOf,
  readPolicy,
  settingOf,
  type Policy,
  type Setting,
} from "../decision/policy.ts";
import { resizedAt } from "../decision/progress.ts";
import { capacityOf, requestOf, type Snapshot } from "../decision/snapshot.ts";
import { percentText, quantityText, sizeText } from "../decision/text.ts";
import { groupLabelOf } from "../groups.ts";
import type { VolumeUsage } from "../usage/usage.ts";

/** What is seen of a claim, what will be done about it, and why: for a person. */
export function explanation(snapshot: Snapshot, rules: Rules, now: number): string {
  const { claim } = snapshot;
  const rows: [string, string][] = [
    ["class", classText(snapshot)],
    ["size", `${quantityText(capacityOf(claim))}, ${quantityText(requestOf(claim))} asked for`],
    ...usageRows(snapshot.usage),
    ...policyRows(snapshot, rules),
    ...groupRows(snapshot),
    ...lastResizeRows(snapshot, now),
  ];
  const table = rows.map(([name, text]) => `  ${name.padEnd(12)} ${text}`);
  const plan = decide(snapshot, rules, now);
  const problem = plan.kind === "ignore" ? undefined : plan.problem;
  return [
    `PersistentVolumeClaim ${claim.metadata?.namespace}/${claim.metadata?.name}`,
    ...table,
    "",
    verdict(plan),
    ...(problem && problem.message !== plan.reason ? [`Problem: ${problem.name}: ${problem.message}.`] : []),
  ].join("\n");
}

function verdict(plan: Plan): string {
  if (plan.kind === "resize") return `The next round asks for ${quantityText(plan.request)}: ${plan.reason}.`;
  const beginnings = { ignore: "It is not managed", keep: "It stays as it is", wait: "It has to wait" };
  return `${beginnings[plan.kind]}: ${plan.reason}.`;
}

function classText({ claim, storageClass }: Snapshot): string {
  const name = claim.spec?.storageClassName;
  if (!name) return "none";
  if (storageClass === undefined) return `${name}, which does not exist`;
  const managed = annotation(storageClass, annotationKeys.enabled) === "true" ? "managed" : "not managed";
  return `${name}: ${managed}, volumes may ${storageClass.allowVolumeExpansion ? "grow" : "not grow"}`;
}

function usageRows(usage: VolumeUsage | undefined): [string, string][] {
  if (usage === undefined) return [["in use", "unknown: no statistics, as if no pod had it mounted"]];
  const { capacity, available, inodes, inodesFree } = usage;
  const bytes = `${sizeText(capacity - available)} of ${sizeText(capacity)}, ${sizeText(available)} (${percentText(available, capacity)}) available`;
  if (!inodes || inodesFree === undefined) {
    return [
      ["in use", bytes],
      ["inodes", "not counted"],
    ];
  }
  const free = `${inodes - inodesFree} of ${inodes}, ${inodesFree} (${percentText(inodesFree, inodes)}) free`;
  return [
    ["in use", bytes],
    ["inodes", free],
  ];
}

function policyRows(snapshot: Snapshot, rules: Rules): [string, string][] {
  const { claim, storageClass, usage } = snapshot;
  const origins = { claim: "", class: " (of the StorageClass)", default: " (default)" };
  const text = (setting: Setting): string => setting.text + origins[setting.from];
  const of = (key: AnnotationKey): string => text(settingOf(key, claim, storageClass));
  let policy: Policy;
  try {
    policy = readPolicy(claim, storageClass, rules.cooldown);
  } catch (error) {
    // The verdict says which annotation is wrong.
    if (error instanceof AnnotationError) return [];
    throw error;
  }
  const { threshold, inodesThreshold, limit, cooldown } = policy;
  const bytes = usage ? `, which is ${sizeText(amountOf(threshold, BigInt(usage.capacity)))}` : "";
  const inodes = usage?.inodes ? `, which is ${amountOf(inodesThreshold, BigInt(usage.inodes))}` : "";
  return [
    ["grows below", `${of(annotationKeys.threshold)} of its bytes${bytes}`],
    ["", `${of(annotationKeys.inodesThreshold)} of its inodes${inodes}`],
    ["by", `${of(annotationKeys.increase)}, to whole GiB`],
    ["up to", limit === 0n ? "no limit is set" : text(limitSettingOf(claim, storageClass))],
    ...(cooldown > 0
      ? [["not sooner", `than ${formatDuration(cooldown)} after the last time`] as [string, string]]
      : []),
  ];
}

function groupRows({ claim, groupRequest }: Snapshot): [string, string][] {
  const group = groupLabelOf(claim, annotationKeys.resizeGroupBy);
  if (group === undefined) return [];
  const largest = groupRequest === undefined ? "" : `, whose largest asks for ${quantityText(groupRequest)}`;
  return [["grows with", `${group.key}=${group.value}${largest}`]];
}

function lastResizeRows({ claim }: Snapshot, now: number): [string, string][] {
  const at = resizedAt(claim);
  if (at === undefined) return [];
  const before = Number(annotation(claim, annotationKeys.preCapacityBytes));
  const size = Number.isFinite(before) ? `, from a file system of ${sizeText(before)}` : "";
  const ago = formatDuration(Math.round((now - at) / 1000) * 1000);
  return [["last resize", `${ago} ago${size}`]];
}
