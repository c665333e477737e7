import { createAuthority, issueLeaf, joinBundle, splitBundle, type KeyPair } from "@moco-ts/kube";
import { describe, expect, test } from "vitest";
import { decideRenewal, overlap, type Published } from "./renewal.ts";

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.parse("2026-01-01T00:00:00Z");
const request = { commonName: "moco-agent", dnsNames: ["*.moco-test.shop.svc"], usages: ["server"] as const };

const [old, current, next] = (await Promise.all(
  ["old", "current", "next"].map((name) => createAuthority(name, { now: start, lifetime: 3650 * day })),
)) as [KeyPair, KeyPair, KeyPair];

const bundle = (...authorities: KeyPair[]) => joinBundle(authorities.map(({ certificate }) => certificate));
const trust = (signer: KeyPair, ...others: KeyPair[]) => ({ signer, authorities: bundle(signer, ...others) });

async function published(
  signer: KeyPair,
  {
    authorities = bundle(signer),
    since,
    now = start,
    lifetime = 90 * day,
  }: Partial<Published> & {
    now?: number;
    lifetime?: number;
  } = {},
): Promise<Published> {
  return { leaf: await issueLeaf(signer, request, { now, lifetime }), authorities, since };
}

const everybody = (authorities: string) => splitBundle(authorities).length;

describe("a certificate", () => {
  test("is made at once where there is none, or none that can be used", async () => {
    const made = { keeps: false, authorities: bundle(current), since: start };
    expect(decideRenewal(undefined, trust(current), request, start)).toEqual(made);
    const broken = { leaf: { certificate: "", privateKey: "" }, authorities: "", since: undefined };
    expect(decideRenewal(broken, trust(current), request, start)).toEqual(made);
    const over = await published(old, { lifetime: day });
    expect(decideRenewal(over, trust(current), request, start + 2 * day).keeps).toBe(false);
  });

  test("stays until two thirds of its time are over, or other names are asked for", async () => {
    const present = await published(current);
    const decided = (now: number, asked = request) => decideRenewal(present, trust(current), asked, now);
    expect(decided(start + 59 * day)).toEqual({ keeps: true, authorities: bundle(current), since: undefined });
    expect(decided(start + 61 * day).keeps).toBe(false);
    expect(decided(start, { ...request, dnsNames: ["other"] }).keeps).toBe(false);
  });

  test("of an authority that we have not comes to an end in steps, so that nobody ever meets a stranger", async () => {
    const adopted = await published(old);
    const first = decideRenewal(adopted, trust(current), request, start);
    expect(first).toEqual({ keeps: true, authorities: bundle(current, old), since: start });

    const waiting = { ...adopted, ...first };
    expect(decideRenewal(waiting, trust(current), request, start + overlap - 1)).toEqual(first);
    const changed = decideRenewal(waiting, trust(current), request, start + overlap);
    expect(changed).toEqual({ keeps: false, authorities: bundle(current, old), since: start });

    const now = start + overlap;
    const signed = { ...(await published(current, { now })), authorities: changed.authorities, since: start };
    expect(everybody(decideRenewal(signed, trust(current), request, now + overlap - 1).authorities)).toBe(2);
    const last = decideRenewal(signed, trust(current), request, now + overlap);
    expect(last).toEqual({ keeps: true, authorities: bundle(current), since: start });
  });

  test("changes without a wait when the next authority has been trusted for long", async () => {
    const present = await published(current, { authorities: bundle(current, next), since: start - overlap });
    const { keeps, authorities } = decideRenewal(present, trust(next, current), request, start);
    expect(keeps).toBe(false);
    expect(everybody(authorities)).toBe(2);
  });

  test("is told of a next authority at once, and the wait begins", async () => {
    const present = await published(current, { since: start - 100 * day });
    const told = decideRenewal(present, trust(current, next), request, start);
    expect(told).toEqual({ keeps: true, authorities: bundle(current, next), since: start });
  });

  test("changes before its time is over, whoever knows the new signer", async () => {
    const present = await published(old, { lifetime: 3 * hour });
    expect(decideRenewal(present, trust(current), request, start).keeps).toBe(true);
    expect(decideRenewal(present, trust(current), request, start + 2 * hour).keeps).toBe(false);
  });
});
