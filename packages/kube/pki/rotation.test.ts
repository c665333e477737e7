import { describe, expect, test } from "vitest";
import { createAuthority, issueLeaf } from "./issue.ts";
import { decide, dueAt, type Keys, type RotationPolicy } from "./rotation.ts";

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const policy: RotationPolicy = {
  leaf: { commonName: "test", dnsNames: ["test.svc"], usages: ["server"] },
  authorityLifetime: 300 * hour,
  leafLifetime: 30 * hour,
  overlap: 5 * hour,
};

async function keysAt(now: number): Promise<Keys> {
  const authority = await createAuthority("ca", { now, lifetime: policy.authorityLifetime });
  const leaf = await issueLeaf(authority, policy.leaf, { now, lifetime: policy.leafLifetime });
  return { authority, leaf, previous: [] };
}

const due = (keys: Keys | undefined, now: number, trusted = true) => decide(keys, now, policy, () => trusted);

describe("what is due", () => {
  test("is an authority if there is none, and a certificate if there is only that", async () => {
    const { authority } = await keysAt(start);
    expect(due(undefined, start)).toBe("make the first authority");
    expect(due({ authority, previous: [] }, start)).toBe("issue a certificate");
  });

  test("is nothing until two thirds of the certificate's time are over", async () => {
    const keys = await keysAt(start);
    expect(dueAt(keys, start, policy)).toBe(start + 20 * hour);
    expect(due(keys, start + 20 * hour - 1)).toBeUndefined();
    expect(due(keys, start + 20 * hour)).toBe("issue a certificate");
  });

  test("is another certificate if other names are asked for, or the key is not its own", async () => {
    const keys = await keysAt(start);
    const other = { ...policy, leaf: { ...policy.leaf, dnsNames: ["other.svc"] } };
    expect(decide(keys, start, other, () => true)).toBe("issue a certificate");
    const stolen = { ...keys.leaf!, privateKey: keys.authority.privateKey };
    expect(due({ ...keys, leaf: stolen }, start)).toBe("issue a certificate");
  });

  test("is the next authority after two thirds, and a change to it after the overlap, if it is trusted", async () => {
    const keys = await keysAt(start);
    const renewal = start + 200 * hour;
    expect(due(keys, renewal)).toBe("make the next authority");
    const next = await createAuthority("ca", { now: renewal, lifetime: policy.authorityLifetime });
    const leaf = await issueLeaf(keys.authority, policy.leaf, { now: renewal, lifetime: policy.leafLifetime });
    const both = { ...keys, next, leaf };
    expect(due(both, renewal)).toBeUndefined();
    expect(dueAt(both, renewal, policy)).toBe(renewal + 5 * hour);
    expect(due(both, renewal + 5 * hour, false)).toBeUndefined();
    expect(dueAt(both, renewal + 5 * hour, policy)).toBe(renewal + 5 * hour + 30_000);
    // An authority that is held back does not keep the certificate from being renewed in time.
    const late = renewal + 20 * hour - 1_000;
    expect(dueAt(both, late, policy)).toBe(renewal + 20 * hour);
    expect(due(both, renewal + 5 * hour)).toBe("change to the next authority");
  });

  test("is to begin anew when the authority has ended, or its key is lost", async () => {
    const keys = await keysAt(start);
    expect(due(keys, start + 300 * hour)).toBe("make the first authority");
    const lost = { ...keys, authority: { ...keys.authority, privateKey: "" } };
    expect(due(lost, start)).toBe("make the first authority");
  });
});
