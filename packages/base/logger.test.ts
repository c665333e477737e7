import { describe, expect, it } from "vitest";
import { CodedError, describeError } from "./errors.ts";
import { createLogger } from "./logger.ts";

function capture(): { lines: () => Record<string, unknown>[]; destination: { write(text: string): void } } {
  const written: string[] = [];
  return {
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
    destination: { write: (text) => written.push(text) },
  };
}

describe("logger", () => {
  it("writes JSON lines with the fields of its parents", () => {
    const { lines, destination } = capture();
    createLogger({ destination }).with({ controller: "volume" }).info("resized", { bytes: 3 });
    expect(lines()[0]).toMatchObject({ level: "info", msg: "resized", controller: "volume", bytes: 3 });
    expect(Date.parse(String(lines()[0]!["ts"]))).not.toBeNaN();
  });

  it("never writes a secret", () => {
    const { lines, destination } = capture();
    const log = createLogger({ destination });
    log.info("connect", { password: "hunter2", connection: { user: "a", password: "hunter2" }, token: "hunter2" });
    expect(JSON.stringify(lines())).not.toContain("hunter2");
  });

  it("says why something failed, down to the cause, with its code", () => {
    const { lines, destination } = capture();
    const error = new CodedError("KUBE_CONNECTION", "cannot list pods", { cause: new Error("connect ECONNREFUSED") });
    createLogger({ destination }).error("sync failed", { error });
    expect(lines()[0]).toMatchObject({
      error: "cannot list pods: connect ECONNREFUSED",
      errorCode: "KUBE_CONNECTION",
    });
  });

  it("leaves out what is below its level", () => {
    const { lines, destination } = capture();
    createLogger({ destination, level: "warn" }).info("chatter");
    expect(lines()).toEqual([]);
  });
});

describe("describeError", () => {
  it("gives the attempts of an AggregateError, which has no message of its own", () => {
    const error = new Error("request failed", {
      cause: new AggregateError([new Error("refused ::1"), new Error("refused 127.0.0.1")]),
    });
    expect(describeError(error)).toBe("request failed: refused ::1, refused 127.0.0.1");
  });
});
