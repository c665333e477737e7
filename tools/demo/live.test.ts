import { expect, test } from "vitest";
import { lastPicture, stateIn } from "./live.ts";

const healthy = "MySQLCluster default/demo  Healthy\n3 of 3 instances are Ready\n\nINSTANCES\n  MySQLCluster demo\n";

test("the last of several pictures is shown, with or without colours", () => {
  expect(lastPicture("")).toBe("");
  expect(lastPicture(healthy)).toBe(healthy);
  const failed = healthy.replace("Healthy", "Failed");
  expect(lastPicture(`${failed}\n${healthy}`)).toBe(healthy);
  const bold = healthy.replace("MySQLCluster default/demo", "\x1b[1mMySQLCluster default/demo\x1b[22m");
  expect(lastPicture(`${failed}\n${bold}`)).toBe(bold);
});

test("a state is told once it is known as a whole", () => {
  expect(stateIn(healthy)).toBe("Healthy: 3 of 3 instances are Ready");
  expect(stateIn(healthy.slice(0, 60))).toBeUndefined();
  expect(stateIn("MySQLCluster default/demo  Unknown\n\n\n")).toBe("Unknown");
});
