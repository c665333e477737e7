import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolveBinary, sharedControlPlane } from "@moco-ts/local-kubernetes";
import { expect, onTestFailed, onTestFinished, test } from "vitest";
import { EventRecorder } from "../events/recorder.ts";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { Events, Leases, type LeaseSpec } from "../types/generated/index.ts";
import { LeaderElection } from "./election.ts";

const times = { leaseDuration: 6000, renewDeadline: 4000, retryPeriod: 500 };

test("a program with client-go and ours respect each other's leases and take over from each other", async () => {
  const { kubeconfigPath } = await sharedControlPlane();
  const schedulerPath = await resolveBinary("kube-scheduler");
  const client = await testClient();
  const namespace = await testNamespace(client);

  /** A Go program that does nothing else here: there is no node to schedule on. */
  const startScheduler = () => {
    const child = spawn(
      schedulerPath,
      [
        `--kubeconfig=${kubeconfigPath}`,
        "--secure-port=0",
        "--leader-elect=true",
        "--leader-elect-lease-duration=6s",
        "--leader-elect-renew-deadline=4s",
        "--leader-elect-retry-period=500ms",
        "--leader-elect-resource-name=shared",
        `--leader-elect-resource-namespace=${namespace}`,
      ],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
    const ended = once(child, "exit");
    const stop = async (signal: NodeJS.Signals): Promise<void> => {
      child.kill(signal);
      await ended;
    };
    onTestFailed(() => console.log(output));
    onTestFinished(() => stop("SIGKILL"));
    return { stop, output: () => output };
  };
  const lease = async (): Promise<LeaseSpec | undefined> => (await client.list(Leases, { namespace })).items[0]?.spec;
  const untilHeldBy = async (isHolder: (holder: string) => boolean): Promise<void> => {
    const held = async (): Promise<boolean> => isHolder((await lease())?.holderIdentity ?? "");
    await expect.poll(held, { timeout: 60_000, interval: 50 }).toBe(true);
  };
  const events = new EventRecorder({ client, component: "ours" });
  onTestFinished(() => events.close(AbortSignal.timeout(5000)));
  const stand = (identity: string) => {
    const election = new LeaderElection({ client, namespace, name: "shared", identity, events, ...times });
    return { election, elected: election.acquire(AbortSignal.timeout(60_000)) };
  };
  const isOurs = (holder: string): boolean => holder.startsWith("ours");
  const isTheirs = (holder: string): boolean => holder !== "" && !isOurs(holder);

  // Theirs leads: ours waits for as long as it renews, and for a lease's duration after it was killed.
  const theirs = startScheduler();
  await untilHeldBy(isTheirs);
  const first = stand("ours-1");
  const acquireTime = (await lease())?.acquireTime;
  const renewals = new Set<string | undefined>();
  await expect.poll(async () => renewals.add((await lease())?.renewTime).size, { timeout: 60_000 }).toBeGreaterThan(12);
  expect(await lease()).toMatchObject({ acquireTime });
  expect(first.election.isHeld()).toBe(false);
  const killed = performance.now();
  await theirs.stop("SIGKILL");
  await first.elected;
  expect(performance.now() - killed).toBeGreaterThan(times.leaseDuration - 1000);
  expect(await lease()).toMatchObject({ holderIdentity: "ours-1", leaseTransitions: 1 });

  // Ours leads: theirs waits, until ours gives the lease up; that takes less than the lease's duration.
  const next = startScheduler();
  await expect.poll(next.output, { timeout: 60_000 }).toContain("Attempting to acquire leader lease");
  const seen = new Set<string | undefined>();
  await expect.poll(async () => seen.add((await lease())?.renewTime).size, { timeout: 60_000 }).toBeGreaterThan(12);
  expect(first.election.isHeld()).toBe(true);
  const released = performance.now();
  await first.election.release(AbortSignal.timeout(5000));
  await untilHeldBy(isTheirs);
  expect(performance.now() - released).toBeLessThan(times.leaseDuration);
  expect(await lease()).toMatchObject({ leaseDurationSeconds: 6, leaseTransitions: 2 });

  // Both have told so on the Lease, in the same words.
  const told = async (): Promise<string[]> => {
    const { items } = await client.list(Events, { namespace, fieldSelector: "involvedObject.kind=Lease" });
    return items.map(({ type, reason, message }) => `${type} ${reason} ${message?.replace(/^\S+/, "X")}`);
  };
  await expect.poll(told).toEqual(Array(3).fill("Normal LeaderElection X became leader"));
});
