import { expect, test } from "vitest";
import { GrowingGroups } from "./groups.ts";
import { testClaim, type ClaimOptions } from "./testing/objects.ts";

function member(request: string, options: ClaimOptions = {}) {
  return testClaim({ request, labels: { app: "a" }, annotations: { "resize-group-by": "app" }, ...options });
}

test("a group has its largest request, by namespace, label and value, of those who want to be in it", () => {
  const small = member("1Gi");
  const groups = new GrowingGroups([
    small,
    member("3Gi"),
    member("2Gi"),
    member("9Gi", { namespace: "elsewhere" }),
    member("9Gi", { labels: { app: "b" } }),
    member("9Gi", { annotations: {} }),
    member("9Gi", { annotations: { "resize-group-by": "tier" }, labels: { app: "a", tier: "a" } }),
    member("9Gi", { deletionTimestamp: "2026-01-01T00:00:00Z" }),
  ]);
  expect(groups.requestFor(small)).toBe(3n * 1024n ** 3n);
  expect(groups.requestFor(testClaim())).toBeUndefined();
  expect(groups.requestFor(member("1Gi", { labels: {} }))).toBeUndefined();
});
