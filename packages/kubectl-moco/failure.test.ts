import { ConnectionError, KubeError } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { explain, Failure, outcomeOf } from "./failure.ts";

const calm = new AbortController().signal;
const refusal = (reason: string, status: number) => new KubeError(`the server says ${reason}`, { reason, status });
const told = (error: unknown) => outcomeOf(explain(error, "https://here"), calm);

test("a server that can't be reached is named, with the innermost reason", () => {
  const cause = new Error("connect ECONNREFUSED 127.0.0.1:6443");
  expect(told(new ConnectionError("GET /api got no answer", { cause }))).toEqual({
    exitCode: 1,
    text:
      "error: cannot reach the API server at https://here: connect ECONNREFUSED 127.0.0.1:6443\n" +
      "Check that the cluster is up, and that --kubeconfig and --context name the right one.\n",
  });
});

test("refusals say what can be done", () => {
  expect(told(refusal("Unauthorized", 401)).text).toMatch(/does not accept your credentials\nLog in again/);
  expect(told(refusal("Forbidden", 403)).text).toMatch(/^error: the server says Forbidden\nAsk whoever administers/);
  expect(told(refusal("Conflict", 409))).toEqual({ text: "error: the server says Conflict\n", exitCode: 1 });
});

test("failures carry their own exit code", () => {
  expect(outcomeOf(new Failure("no", { exitCode: 3 }), calm)).toEqual({ text: "error: no\n", exitCode: 3 });
});

test("who presses Ctrl-C is told nothing", () => {
  const stop = new AbortController();
  stop.abort(new Error("got SIGINT"));
  expect(outcomeOf(stop.signal.reason, stop.signal)).toEqual({ text: "", exitCode: 130 });
});
