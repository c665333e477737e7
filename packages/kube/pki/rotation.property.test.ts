import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isSignedBy, lifetimeOf, splitBundle } from "./inspect.ts";
import { carryOut, decide, dueAt, type Keys, type RotationPolicy } from "./rotation.ts";
import { bundleOf, decodeKeys, encodeKeys } from "./stored-keys.ts";

const hour = 3_600_000;
const policy: RotationPolicy = {
  leaf: { commonName: "test", dnsNames: ["test.svc"], usages: ["server"] },
  authorityLifetime: 300 * hour,
  leafLifetime: 30 * hour,
  overlap: 5 * hour,
};

async function settled(old: Keys | undefined, now: number, trusted = true): Promise<Keys> {
  let keys = old;
  for (let steps = 0; steps < 10; steps++) {
    const step = decide(keys, now, policy, () => trusted);
    if (step === undefined) return keys!;
    keys = await carryOut(step, keys, now, policy);
    // Through the Secret, as another replica sees it.
    keys = decodeKeys({ data: encodeKeys(keys) })!;
  }
  throw new Error("there is no end to what is due");
}

test(
  "whenever it is looked at, clients can verify what servers show, and knew who signed it in time",
  { timeout: 30_000 },
  async () => {
    const waits = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 * hour }), fc.boolean()), {
      minLength: 5,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(waits, async (rounds) => {
        let now = Date.UTC(2026, 0, 1);
        let keys = await settled(undefined, now);
        const trustedSince = new Map(splitBundle(bundleOf(keys)).map((each) => [each, -Infinity]));
        for (const [wait, trusted] of rounds) {
          // A process looks when something is due, or later if it was down, but before its certificate ends.
          now = Math.max(now + 1000, Math.min(now + wait, dueAt(keys, now, policy) + 9 * hour));
          const old = keys;
          keys = await settled(old, now, trusted);
          const bundle = splitBundle(bundleOf(keys));
          for (const each of bundle) if (!trustedSince.has(each)) trustedSince.set(each, now);

          const { certificate } = keys.leaf!;
          expect(lifetimeOf(certificate).endsAt).toBeGreaterThan(now);
          const signer = bundle.find((each) => isSignedBy(certificate, each))!;
          expect(signer).toBeDefined();
          expect(now - trustedSince.get(signer)!).toBeGreaterThanOrEqual(policy.overlap - 1000);
          // Another replica may not have seen the change yet and shows the old one.
          expect(bundle.some((each) => isSignedBy(old.leaf!.certificate, each))).toBe(true);
        }
      }),
      { numRuns: 10 },
    );
  },
);
