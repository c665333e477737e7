import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createProgram } from "../program.ts";
import { complete, formatCompletion, type Completion } from "./complete.ts";
import type { Position } from "./position.ts";

const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
const program = createProgram({ io, environment: {}, signal: new AbortController().signal });

/** What is offered, and what values were looked for. */
async function at(...line: string[]) {
  const asked: { name: string; position: Position }[] = [];
  const completion = await complete(program, line, async (name, position): Promise<Completion> => {
    asked.push({ name, position });
    return { candidates: [{ value: "first" }, { value: "second" }] };
  });
  return {
    values: completion === "files" ? "files" : completion.candidates.map(({ value }) => value),
    asked: asked[0],
  };
}

test("commands, and those of commands", async () => {
  expect((await at("")).values).toEqual(
    expect.arrayContaining([
      "status",
      "mysql",
      "credential",
      "switchover",
      "reclone",
      "forget",
      "stop",
      "start",
      "completion",
    ]),
  );
  expect((await at("st")).values).toEqual(["status", "stop", "start"]);
  expect((await at("stop", "")).values).toEqual(["clustering", "reconciliation"]);
  expect((await at("")).values).not.toContain("__complete");
});

test("arguments, by their names", async () => {
  expect(await at("status", "f")).toMatchObject({ values: ["first"], asked: { name: "cluster" } });
  expect((await at("reclone", "")).asked?.name).toBe("pod-or-cluster");
  expect((await at("stop", "clustering", "")).asked?.name).toBe("cluster");
  expect((await at("-n", "shop", "status", "--watch", "")).asked?.position.options).toEqual({
    namespace: "shop",
    watch: true,
  });
});

test("options of the command and of all commands", async () => {
  expect((await at("switchover", "--t")).values).toEqual(["--to", "--timeout", "--tls-server-name", "--token"]);
  expect((await at("status", "test", "--he")).values).toEqual(["--help"]);
});

test("values of options, after a blank or an equals sign", async () => {
  expect(await at("switchover", "test", "--to", "")).toMatchObject({
    values: ["first", "second"],
    asked: { name: "--to", position: { words: ["test"] } },
  });
  expect((await at("mysql", "--mysql-user=f")).values).toEqual(["--mysql-user=first"]);
  expect((await at("mysql", "-u", "")).asked?.name).toBe("--mysql-user");
  expect((await at("--context=x", "status", "")).asked?.position.options).toEqual({ context: "x" });
});

test("what is handed on to mysql may be files", async () => {
  expect((await at("mysql", "test", "--", "")).values).toBe("files");
});

test("the answer is what kubectl reads", () => {
  expect(formatCompletion({ candidates: [{ value: "a", description: "b\nc" }, { value: "d" }] })).toBe("a\tb\nd\n:4\n");
  expect(formatCompletion("files")).toBe(":0\n");
});
