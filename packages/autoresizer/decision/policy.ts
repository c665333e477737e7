import { CodedError, describeError, parseDuration } from "@moco-ts/base";
import type { KubeObject, PersistentVolumeClaim, StorageClass } from "@moco-ts/kube";
import { annotationKeys, type AnnotationKey } from "../annotations.ts";
import { parseAmount, parsePercentage, parseSize, type Amount, type Percentage } from "./amounts.ts";

/** What users want for a claim. */
export interface Policy {
  /** Bytes that are never exceeded. */
  readonly limit: bigint;
  /** It grows when less than this is available. */
  readonly threshold: Amount;
  readonly inodesThreshold: Percentage;
  readonly increase: Amount;
  /** Milliseconds for which it is left alone after a resize. */
  readonly cooldown: number;
}

/** The text of a setting: the claim's annotation goes before that of its class, and that before what is built in. */
export interface Setting {
  readonly text: string;
  readonly from: "claim" | "class" | "default";
}

/** An annotation can't be understood: the message names it and its value. */
export class AnnotationError extends CodedError {
  readonly key: AnnotationKey;

  constructor(key: AnnotationKey, { text, from }: Setting, message: string) {
    const where = from === "class" ? " (of the StorageClass)" : "";
    super("ANNOTATION_INVALID", `${key}: ${JSON.stringify(text)}${where}: ${message}`);
    this.key = key;
  }
}

const builtIn: Partial<Record<AnnotationKey, string>> = {
  [annotationKeys.threshold]: "10%",
  [annotationKeys.inodesThreshold]: "10%",
  [annotationKeys.increase]: "10%",
};

/** A setting in force. An empty annotation counts as none. */
export function settingOf(key: AnnotationKey, claim: PersistentVolumeClaim, storageClass?: StorageClass): Setting {
  const own = annotation(claim, key);
  if (own) return { text: own, from: "claim" };
  const inherited = annotation(storageClass, key);
  if (inherited) return { text: inherited, from: "class" };
  return { text: builtIn[key] ?? "", from: "default" };
}

/** As every setting, but a claim with "" or 0 has no limit whatever its class says: so it can be kept out. */
export function limitSettingOf(claim: PersistentVolumeClaim, storageClass?: StorageClass): Setting {
  const key = annotationKeys.storageLimit;
  return annotation(claim, key) === "" ? { text: "", from: "claim" } : settingOf(key, claim, storageClass);
}

/** The limit in bytes, 0 if there is none. */
export function readLimit(claim: PersistentVolumeClaim, storageClass?: StorageClass): bigint {
  return understand(annotationKeys.storageLimit, limitSettingOf(claim, storageClass), (text) => {
    const limit = text === "" ? 0n : parseSize(text);
    if (limit < 0n) throw new Error(`annotation value should be positive: ${text}`);
    return limit;
  });
}

/**
 * All settings of a claim. Throws an AnnotationError for the first one that can't be understood.
 *
 * @param cooldown in milliseconds, where neither the claim nor its class say one
 */
export function readPolicy(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  cooldown: number,
): Policy {
  const setting = <T>(key: AnnotationKey, parse: (text: string) => T): T =>
    understand(key, settingOf(key, claim, storageClass), parse);
  return {
    limit: readLimit(claim, storageClass),
    threshold: setting(annotationKeys.threshold, parseAmount),
    inodesThreshold: setting(annotationKeys.inodesThreshold, parsePercentage),
    increase: setting(annotationKeys.increase, parseAmount),
    cooldown: setting(annotationKeys.cooldown, (text) => (text === "" ? cooldown : parseCooldown(text))),
  };
}

export function annotation(object: KubeObject | undefined, key: AnnotationKey): string | undefined {
  return object?.metadata?.annotations?.[key];
}

function parseCooldown(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds < 0) throw new Error(`annotation value should not be negative: ${text}`);
  return milliseconds;
}

function understand<T>(key: AnnotationKey, setting: Setting, parse: (text: string) => T): T {
  try {
    return parse(setting.text);
  } catch (error) {
    throw new AnnotationError(key, setting, describeError(error));
  }
}
