import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Model, type Happening } from "./testing/model.ts";

const patience = { timeout: 120_000 };
const pod = fc.nat({ max: 12 });
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constantFrom("operator", "clustering") }) },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant("kubernetes"), sluggish: fc.boolean() }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("time"), seconds: fc.constantFrom(1, 6, 60) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("edit"), works: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("break", "lose", "mend", "delete", "evict"), pod }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("offline", "online", "scale-out") }) },
);
const replicas = fc.constantFrom(1, 3, 5, 11);

/** A cluster to which all this has happened, beginning with one that works or one that is being made. */
function live(size: number, works: boolean, history: readonly Happening[]): Model {
  const model = new Model(size);
  if (works) for (let round = 0; round < 3; round++) model.round();
  for (const each of history) model.happen(each);
  return model;
}

const histories = fc.array(happening, { minLength: 10, maxLength: 100 });

test("whatever happens, no second member is taken down, and no primary that works", patience, () => {
  const property = fc.property(replicas, fc.boolean(), histories, (size, works, history) => {
    expect(live(size, works, history).violations).toEqual([]);
  });
  fc.assert(property, { numRuns: 2000 });
});

test(
  "whatever has happened, a rollout ends at partition 0 with all pods updated once everything is healthy",
  patience,
  () => {
    const property = fc.property(replicas, fc.boolean(), histories, (size, works, history) => {
      const model = live(size, works, history);
      model.mend();
      let plan = model.round();
      for (let round = 0; plan.kind !== "done" && round < 8 * model.size + 10; round++) plan = model.round();
      expect(plan).toMatchObject({ kind: "done" });
      expect(model.partition).toBe(0);
      const { set, members } = model.snapshot();
      expect(members.map(({ revision }) => revision)).toEqual(members.map(() => set.updateRevision));
      expect(model.violations).toEqual([]);
    });
    fc.assert(property, { numRuns: 1000 });
  },
);

test("an undisturbed rollout hands the role of the primary over once, or twice if the highest ordinal has it", () => {
  const property = fc.property(fc.constantFrom(3, 5, 11), fc.nat({ max: 10 }), (size, number) => {
    const model = live(size, true, []);
    model.primary = number % size;
    model.happen({ kind: "edit", works: true });
    const plans = Array.from({ length: 8 * size }, () => model.round());
    const handovers = plans.filter(({ kind }) => kind === "switchover-first").length;
    expect(handovers).toBe(number % size === size - 1 ? 2 : 1);
    expect(plans.filter(({ kind }) => kind === "step")).toHaveLength(size);
  });
  fc.assert(property, { numRuns: 100 });
});
