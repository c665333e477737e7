import { access } from "node:fs/promises";
import { expect, test } from "vitest";
import { answers } from "../control-plane/probe.ts";
import { sharedControlPlane } from "./shared.ts";

test("every test of a run gets the same control plane, and it serves", async () => {
  const first = await sharedControlPlane();
  expect(await sharedControlPlane()).toEqual(first);
  expect(await answers(`${first.server}/readyz`)).toBe(true);
  await access(first.kubeconfigPath);
});
