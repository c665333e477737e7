import { expect, test } from "vitest";
import { createCluster } from "../testing/cluster.ts";
import { runCommand } from "../testing/run.ts";

test("names of clusters, Pods, instances, namespaces, contexts and users", async () => {
  const { namespace } = await createCluster({ primary: 1 });
  const complete = async (...line: string[]) => (await runCommand(["__complete", "--", ...line])).output;
  expect(await complete("-n", namespace, "status", "")).toBe("test\n:4\n");
  expect(await complete("status", "-n", namespace, "te")).toBe("test\n:4\n");
  expect(await complete("-n", namespace, "reclone", "moco")).toBe("moco-test-0\nmoco-test-2\n:4\n");
  expect(await complete("-n", namespace, "reclone", "--index", "2", "")).toBe("test\n:4\n");
  expect(await complete("-n", namespace, "switchover", "test", "--to", "")).toBe("0\n1\tprimary\n2\n:4\n");
  expect(await complete("-n", namespace.slice(0, -1))).toContain(`${namespace}\n`);
  expect(await complete("--context", "")).toMatch(/^\S+\n:4\n$/);
  expect(await complete("credential", "-u", "moco-w")).toBe("moco-writable\n:4\n");
  expect(await complete("--kubeconfig", "")).toBe(":0\n");
});

test("where nothing can be found there is no error", async () => {
  const nowhere = ["__complete", "--", "--server", "https://127.0.0.1:1", "status", ""];
  expect(await runCommand(nowhere)).toEqual({ code: 0, output: ":4\n", errors: "" });
});
