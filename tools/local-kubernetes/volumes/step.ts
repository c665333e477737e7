import type { Clock } from "@moco-ts/base";
import type { Client, KubeObject, ObjectEvent } from "@moco-ts/kube";
import type { Disks } from "./disks.ts";

/** What steps are taken with. */
export interface Tools {
  client: Client;
  disks: Disks;
  clock: Clock;
}

/** A step failed, and users are told why by an event. It is tried again. */
export class StepError extends Error {
  readonly event: ObjectEvent;

  constructor(event: ObjectEvent, options?: ErrorOptions) {
    super(event.message, options);
    this.name = "StepError";
    this.event = event;
  }
}

export function normal(regarding: KubeObject, reason: string, message: string): ObjectEvent {
  return { regarding, type: "Normal", reason, message };
}

export function warning(regarding: KubeObject, reason: string, message: string): ObjectEvent {
  return { regarding, type: "Warning", reason, message };
}
