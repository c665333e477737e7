import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { down, up, type Cluster } from "@moco-ts/local-kubernetes";
import { deployment } from "./example-controller/deployment.ts";
import { provideImage } from "./example-controller/image.ts";
import { copiesAnnotation, copyOfLabel, namespace, program, sourceLabel } from "./example-controller/names.ts";
import { apply } from "./pods.ts";

const name = "ground-runtime";
const patience = { timeout: 120_000, interval: 200 };
let cluster: Cluster;

beforeAll(async () => {
  cluster = await up({ name });
  await provideImage(cluster.nodes);
  await apply(cluster, ...deployment());
  await kubectl("rollout", "status", `deployment/${program}`, "--timeout=60s");
  // Pods may be Ready a moment before the API server has seen the authority's certificate.
  await vi.waitFor(() => create("warm-up", "0"), patience);
});

afterAll(() => down(name));

test("the controller makes what is asked for and takes back what is not", async () => {
  await create("songs", "3", { title: "one" });
  await expect.poll(copies("songs"), patience).toEqual(["one", "one", "one"]);
  await kubectl("annotate", "configmap", "songs", `${copiesAnnotation}=1`, "--overwrite");
  await expect.poll(copies("songs"), patience).toEqual(["one"]);
  await kubectl("delete", "configmap", "songs");
  await expect.poll(copies("songs"), patience).toEqual([]);
});

test("what somebody changes is put back, and what somebody adds is left alone", async () => {
  await create("drift", "1", { title: "right" });
  await expect.poll(copies("drift"), patience).toEqual(["right"]);
  await kubectl("patch", "configmap", "drift-copy-0", "--type=merge", '-p={"data":{"title":"wrong","own":"kept"}}');
  await expect.poll(copies("drift"), patience).toEqual(["right"]);
  expect(await kubectl("get", "configmap", "drift-copy-0", "-o", "jsonpath={.data.own}")).toBe("kept");
});

test("webhooks fill in, refuse and warn, as kubectl shows it", async () => {
  await apply(cluster, source("defaulted", undefined));
  const path = `jsonpath={.metadata.annotations.${copiesAnnotation.replaceAll(".", "\\.")}}`;
  expect(await kubectl("get", "configmap", "defaulted", "-o", path)).toBe("1");
  await expect(create("many", "99")).rejects.toThrow(/must be a number from 0 to 5/);
});

test("users see an event", async () => {
  await create("told", "2");
  const seen = async () => kubectl("get", "events", "--field-selector=involvedObject.name=told", "-o", "wide");
  await expect.poll(seen, patience).toMatch(/Normal +Copied +configmap\/told .*example-controller.* Made 2 copies/);
});

test("another replica takes over from a leader that is killed", async () => {
  const first = await leader();
  await cluster.faults.kill({ namespace, name: first.split("_")[0]!, container: program });
  await expect.poll(leader, patience).not.toBe(first);
  await create("after-takeover", "2", { title: "new" });
  await expect.poll(copies("after-takeover"), patience).toEqual(["new", "new"]);
});

test("the rights that it has are all that it needs, and nothing went wrong unnoticed", async () => {
  // Before the API server is restarted: one that has just begun refuses what it has not yet read the rights for.
  const logs = await kubectl("logs", `--selector=app=${program}`, "--tail=-1");
  expect(logs).toMatch(/became leader/);
  expect(logs.split("\n").filter((line) => /forbidden|nobody caught/i.test(line))).toEqual([]);
});

test("work goes on after the API server was gone", async () => {
  await cluster.apiServer.restart("SIGKILL");
  await vi.waitFor(() => create("after-restart", "2", { title: "again" }), patience);
  await expect.poll(copies("after-restart"), patience).toEqual(["again", "again"]);
});

function kubectl(...args: string[]): Promise<string> {
  return cluster.kubectl(["--namespace", namespace, ...args]);
}

function source(name: string, copies: string | undefined, data: Record<string, string> = { title: "text" }): object {
  const annotations = copies === undefined ? {} : { [copiesAnnotation]: copies };
  const metadata = { name, namespace, labels: { [sourceLabel]: name }, annotations };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

async function create(name: string, copies: string, data?: Record<string, string>): Promise<void> {
  await apply(cluster, source(name, copies, data));
}

function copies(of: string): () => Promise<string[]> {
  return async () => {
    const template = "jsonpath={range .items[*]}{.data.title}{'\\n'}{end}";
    const output = await kubectl("get", "configmaps", `--selector=${copyOfLabel}=${of}`, "-o", template);
    return output.split("\n").filter((line) => line !== "");
  };
}

async function leader(): Promise<string> {
  return kubectl("get", "lease", program, "-o", "jsonpath={.spec.holderIdentity}");
}
