import { expect, test } from "vitest";
import { mocoCluster, mocoObject } from "../testing/moco.ts";
import { buildServiceAccount } from "./build.ts";

test("the ServiceAccount is what MOCO makes", () => {
  expect({ apiVersion: "v1", kind: "ServiceAccount", ...buildServiceAccount(mocoCluster()) }).toEqual(
    mocoObject("ServiceAccount", "moco-full"),
  );
});
