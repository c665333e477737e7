import { CodedError } from "@moco-ts/base";
import type { Lease, LeaseSpec } from "../types/generated/index.ts";

/** The times that a lease is led by, in milliseconds. */
export interface LeaseTimes {
  /** For how long after a renewal the others keep off, in whole seconds. Default 15,000. */
  readonly leaseDuration: number;
  /** For how long after the beginning of its last successful renewal a leader acts. Default 10,000. */
  readonly renewDeadline: number;
  /** Between two renewals, or two looks of a candidate. Default 2,000. */
  readonly retryPeriod: number;
}

export const defaultLeaseTimes: LeaseTimes = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };

/** The lease is judged by its whole seconds, so that a fraction of one would let others in early. */
export function checkLeaseTimes({ leaseDuration, renewDeadline, retryPeriod }: LeaseTimes): void {
  const complain = (rule: string): never => {
    const given = `leaseDuration ${leaseDuration}, renewDeadline ${renewDeadline}, retryPeriod ${retryPeriod}`;
    throw new CodedError("LEASE_TIMES_INVALID", `${rule} (given: ${given})`);
  };
  if (leaseDuration % 1000 !== 0 || leaseDuration <= 0) complain("leaseDuration must be a number of whole seconds");
  if (renewDeadline >= leaseDuration) complain("renewDeadline must be shorter than leaseDuration");
  if (retryPeriod <= 0 || renewDeadline <= retryPeriod * 1.2) complain("retryPeriod must be well below renewDeadline");
}

/** Kubernetes' MicroTime: it has exactly six digits after the point, or the API server refuses it. */
export function formatMicroTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("Z", "000Z");
}

/** The fields that a holder's renewal changes: labels or annotations that somebody edits are no sign of life. */
export function signOfLife(lease: Lease): string {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = lease.spec ?? {};
  return JSON.stringify([holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions]);
}

/** The holder, or undefined if nobody holds it: a released lease has an empty holder. */
export function holderOf(lease: Lease): string | undefined {
  return lease.spec?.holderIdentity || undefined;
}

/** How long the holder may be silent before others take over: what it wrote down itself. */
export function durationOf(lease: Lease, otherwise: number): number {
  const seconds = lease.spec?.leaseDurationSeconds ?? 0;
  return seconds > 0 ? seconds * 1000 : otherwise;
}

/** The lease as `identity` takes it, or, if it is the holder already, renews it. */
export function heldSpec(
  previous: LeaseSpec | undefined,
  identity: string,
  leaseDuration: number,
  now: number,
): LeaseSpec {
  const time = formatMicroTime(now);
  const renews = previous?.holderIdentity === identity;
  const transitions = previous?.leaseTransitions ?? 0;
  return {
    ...previous,
    holderIdentity: identity,
    leaseDurationSeconds: leaseDuration / 1000,
    acquireTime: renews ? (previous.acquireTime ?? time) : time,
    renewTime: time,
    leaseTransitions: previous === undefined || renews ? transitions : transitions + 1,
  };
}

/** What client-go writes as well: nobody holds it, and whoever believes otherwise waits for a second only. */
export function releasedSpec(previous: LeaseSpec, now: number): LeaseSpec {
  const time = formatMicroTime(now);
  return { ...previous, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
}
