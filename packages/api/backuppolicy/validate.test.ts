import { describe, expect, test } from "vitest";
import { testCluster, testPolicy } from "../testing/manifests.ts";
import { describeCauses } from "../validation/cause.ts";
import { clustersWithPolicy, validateBackupPolicy } from "./validate.ts";

test.each([
  { schedule: "@daily" },
  { schedule: "30 3 * * *", timeZone: "Asia/Tokyo" },
  { schedule: "@every 6h", timeZone: null },
])("%o is right", (spec) => {
  expect(describeCauses(validateBackupPolicy(testPolicy(spec)))).toBe("");
});

describe("a policy is told what is wrong with it", () => {
  test.each([
    [{ schedule: "" }, 'spec.schedule: Invalid value: "": not a schedule: it is empty'],
    [
      { schedule: "every day" },
      'spec.schedule: Invalid value: "every day": not a schedule: expected 5 fields, found 2',
    ],
    [{ schedule: "60 * * * *" }, "minute 60 (0 to 59)"],
    [{ schedule: "TZ=Asia/Tokyo 0 3 * * *" }, "the time zone belongs into spec.timeZone"],
    [{ schedule: "CRON_TZ=UTC @daily" }, "the time zone belongs into spec.timeZone"],
    [{ timeZone: "Asia/Atlantis" }, 'spec.timeZone: Invalid value: "Asia/Atlantis": unknown time zone'],
  ])("%o", (spec, problem) => {
    expect(describeCauses(validateBackupPolicy(testPolicy(spec)))).toContain(problem);
  });
});

test("clusters that refer to a policy are found", () => {
  const [without, other, one] = [undefined, "other", "daily"].map((backupPolicyName) =>
    testCluster(backupPolicyName === undefined ? {} : { backupPolicyName }),
  );
  expect(clustersWithPolicy("daily", [without!, other!, one!])).toEqual([one]);
});
