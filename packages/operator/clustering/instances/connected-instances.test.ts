import { expect, onTestFinished, test } from "vitest";
import { SimulatedClock } from "@moco-ts/base";
import type { Pod } from "@moco-ts/kube";
import { ConnectedInstances } from "./connected-instances.ts";

const cluster = "default/test";
const login = () => ({ user: "moco-admin", password: "moco-admin" });

function pod(uid: string, podIP?: string): Pod {
  return { metadata: { uid }, status: podIP === undefined ? {} : { podIP } };
}

function connect() {
  const clock = new SimulatedClock();
  // Nobody listens there.
  const instances = new ConnectedInstances({ changed: () => undefined, mayChange: () => undefined, clock, port: 1 });
  onTestFinished(() => instances.retain(cluster, []));
  return { clock, instances };
}

test("an instance is the same for as long as its Pod has its address", () => {
  const { instances } = connect();
  const first = instances.of(cluster, pod("a", "127.0.0.1"), login);
  expect(instances.of(cluster, pod("a", "127.0.0.1"), login)).toBe(first);
  expect(instances.of(cluster, pod("a", "127.0.0.2"), login)).not.toBe(first);
  expect(instances.of(cluster, pod("b", "127.0.0.1"), login)).not.toBe(first);
  expect(instances.of("default/other", pod("a", "127.0.0.1"), login)).not.toBe(first);
  expect(instances.of(cluster, pod("c"), login)).toBeUndefined();
});

test("who is asked for by address is the Pod's, also when that is gone, as long as it is asked for", async () => {
  const { instances, clock } = connect();
  const [gone, other] = [pod("a", "127.0.0.1"), pod("b", "127.0.0.2")];
  const first = instances.of(cluster, gone, login);
  expect(instances.at(cluster, "127.0.0.1", login)).toBe(first);
  instances.retain(cluster, [other]);
  expect(instances.at(cluster, "127.0.0.1", login)).toBe(first);
  await clock.advance(59_000);
  instances.retain(cluster, [other]);
  expect(instances.at(cluster, "127.0.0.1", login)).toBe(first);
  // Another Pod that gets the address is another instance.
  expect(instances.of(cluster, pod("c", "127.0.0.1"), login)).not.toBe(first);
  await clock.advance(61_000);
  instances.retain(cluster, [other]);
  expect(instances.at(cluster, "127.0.0.1", login)).not.toBe(first);
});
