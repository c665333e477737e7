import { expect, test } from "vitest";
import { chooseNetworkNumber, clusterNetwork, nodeAddress, nodePods } from "./network.ts";

test("the first cluster gets the first network", () => {
  expect(chooseNetworkNumber([], ["default", "192.168.1.0/24", "127.0.0.1"])).toBe(160);
});

test("networks of other clusters and of the machine are left alone", () => {
  expect(chooseNetworkNumber([160], ["10.161.3.4", "10.162.0.0/16", "10.163.128.0/20"])).toBe(164);
});

test("a wide route of the machine covers many networks", () => {
  expect(chooseNetworkNumber([], ["10.128.0.0/10"])).toBe(192);
});

test("a machine whose own network is all of 10.0.0.0/8 has no room", () => {
  expect(() => chooseNetworkNumber([], ["10.0.0.0/8"])).toThrow(/in use/);
});

test("all addresses lie in the cluster's range", () => {
  const { host, controlPlane, dns, kubernetesService } = clusterNetwork(160);
  for (const address of [host, controlPlane, dns, kubernetesService, nodeAddress(160, 1), nodePods(160, 100)]) {
    expect(address).toMatch(/^10\.160\./);
  }
});
