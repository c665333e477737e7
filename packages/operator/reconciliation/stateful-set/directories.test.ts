import { describe, expect, test } from "vitest";
import { testCluster } from "../testing/clusters.ts";
import { ownDirectories } from "./directories.ts";

const withMounts = (...paths: (string | null)[]) => {
  const volumeMounts = paths.map((mountPath) => ({ name: "data", mountPath: mountPath as string }));
  return ownDirectories(testCluster({ podTemplate: { spec: { containers: [{ name: "mysqld", volumeMounts }] } } }));
};

describe("what version 2 mounts", () => {
  test("gives way to what the user has there", () => {
    const usual = withMounts();
    expect(withMounts("/moco/", `${usual.certificates}/mine`)).toEqual({
      programs: "/moco-2",
      certificates: `${usual.certificates}-2`,
    });
  });
  test("stays where it is beside a mount without a path, which only the API server can refuse", () => {
    expect(withMounts(null)).toEqual(withMounts());
  });
});
