import { expect, test } from "vitest";
import { createCluster } from "./testing/cluster.ts";
import { runCommand } from "./testing/run.ts";

test("a cluster that is not there: what there is instead", async () => {
  const { namespace } = await createCluster();
  expect(await runCommand(["status", "tset"], { namespace })).toEqual({
    code: 1,
    output: "",
    errors: `error: MySQLCluster "tset" not found in namespace "${namespace}"\nThere are: test.\n`,
  });
  expect(await runCommand(["status", "test"], { namespace: "nowhere" })).toMatchObject({
    code: 1,
    errors: 'error: namespace "nowhere" not found\nChoose another one with --namespace.\n',
  });
  const empty = await runCommand(["credential", "test"], { namespace: "kube-public" });
  expect(empty).toMatchObject({ code: 1, errors: expect.stringContaining('not found in namespace "kube-public"') });
});

test("a user without rights: which one is missing", async () => {
  const { namespace } = await createCluster();
  const { code, errors } = await runCommand(["--as", "mallory", "switchover", "test"], { namespace });
  expect(code).toBe(1);
  expect(errors).toContain('User "mallory" cannot get resource "mysqlclusters"');
  expect(errors).toContain("Ask whoever administers the cluster for this right");
});

test("a server that does not answer, or that does not know us", async () => {
  const gone = await runCommand(["--server", "https://127.0.0.1:1", "status", "test"]);
  expect(gone).toMatchObject({ code: 1, output: "" });
  expect(gone.errors).toMatch(/^error: cannot reach the API server at https:\/\/127.0.0.1:1: connect ECONNREFUSED/);

  const stranger = await runCommand(["--token", "wrong", "--user", "nobody", "status", "test"]);
  expect(stranger).toMatchObject({ code: 1, errors: expect.stringContaining('the kubeconfig has no user "nobody"') });
});

test("a kubeconfig that is not there", async () => {
  const { code, errors } = await runCommand(["status", "test"], { environment: { KUBECONFIG: "/nowhere/config" } });
  expect(code).toBe(1);
  expect(errors).toBe(
    "error: cannot read the kubeconfig /nowhere/config\n" +
      "Name a file with --kubeconfig or $KUBECONFIG, and one of its contexts with --context.\n",
  );
});

test.each([
  [["statsu", "test"], "error: unknown command 'statsu'\n(Did you mean status?)"],
  [["status"], "error: missing required argument 'cluster'"],
  [["status", "a", "b"], "error: too many arguments"],
  [["status", "--colour", "a"], "error: unknown option '--colour'"],
  [["status", "a", "-o", "xml"], "error: unknown output: xml"],
  [["switchover", "a", "--to", "x"], "error: option '--to <index>' argument 'x' is invalid. Not an index"],
  [["--request-timeout", "soon", "status", "a"], "Not a time: 10s"],
  [["credential", "a", "-u", "root"], "error: invalid user: root"],
  [["credential", "a", "--format", "toml"], "error: unknown format: toml"],
  [["completion", "tcsh"], "error: unknown shell: tcsh"],
])("a command line that makes no sense ends with 2: %j", async (args, text) => {
  const { code, output, errors } = await runCommand(args);
  expect({ code, output }).toEqual({ code: 2, output: "" });
  expect(errors).toContain(text);
});

test("help is everywhere, with examples", async () => {
  const commands = [
    [],
    ["status"],
    ["mysql"],
    ["credential"],
    ["switchover"],
    ["reclone"],
    ["forget"],
    ["completion"],
    ["stop", "clustering"],
    ["stop", "reconciliation"],
    ["start", "clustering"],
    ["start", "reconciliation"],
  ];
  for (const command of commands) {
    const { code, output } = await runCommand([...command, "--help"]);
    expect({ command, code }).toEqual({ command, code: 0 });
    expect(output).toMatch(/^Usage: kubectl moco/);
    expect(output).toContain("Examples:\n");
    expect(output).toContain("--namespace <name>");
  }
});
