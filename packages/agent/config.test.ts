import { describe, expect, test } from "vitest";
import { allMysqlUsers } from "@moco-ts/api";
import { readConfig, usage } from "./config.ts";

const environment = {
  POD_NAME: "moco-test-12",
  CLUSTER_NAME: "test",
  ...Object.fromEntries(allMysqlUsers.map(({ name, secretKey }) => [secretKey, `password of ${name}`])),
};

test("without flags all is as it always was", () => {
  expect(readConfig([], environment)).toMatchObject({
    podName: "moco-test-12",
    clusterName: "test",
    index: 12,
    address: ":9080",
    probeAddress: ":9081",
    metricsAddress: ":8080",
    maxIdleTime: 30_000,
    connectionTimeout: 5_000,
    readTimeout: 30_000,
    logRotationSchedule: "*/5 * * * *",
    logRotationSize: 0,
    maxDelay: 60_000,
    transactionQueueingWait: 60_000,
    queueingWaitEndsEarly: false,
    socketPath: "/run/mysqld.sock",
    certificateDirectory: "/grpc-cert",
    mysqldHost: "moco-test-12",
    passwords: { "moco-agent": "password of moco-agent" },
  });
});

test("the flags of Pods that exist are read", () => {
  const argv = ["--max-delay", "30s", "--log-rotation-schedule", "@every 1h", "--log-rotation-size", "1048576"];
  expect(readConfig([...argv, "--mysqld-localhost", "true"], environment)).toMatchObject({
    maxDelay: 30_000,
    logRotationSchedule: "@every 1h",
    logRotationSize: 1_048_576,
    mysqldHost: "localhost",
  });
});

test("booleans are as Go has them", () => {
  const hostOf = (...argv: string[]): string => readConfig(argv, environment).mysqldHost;
  expect(hostOf("--mysqld-localhost")).toBe("localhost");
  expect(hostOf("--mysqld-localhost=false")).toBe("moco-test-12");
  expect(hostOf("--mysqld-localhost=T")).toBe("localhost");
});

describe("mistakes are named", () => {
  test.each([
    [["--no-such"], "--no-such"],
    [["--max-delay", "soon"], '--max-delay: not a duration: "soon"'],
    [["--max-delay"], "max-delay"],
    [["--log-rotation-size=1M"], "--log-rotation-size: not a number of bytes: 1M"],
    [["--mysqld-localhost=maybe"], "--mysqld-localhost: neither true nor false: maybe"],
  ])("%j", (argv, text) => {
    expect(() => readConfig(argv, environment)).toThrow(text);
  });

  test("a missing password", () => {
    const { AGENT_PASSWORD: _, ...rest } = environment as Record<string, string>;
    expect(() => readConfig([], rest)).toThrow("environment variable AGENT_PASSWORD is not set");
  });
});

test("help tells of every flag", () => {
  expect(usage).toContain("--transaction-queueing-wait: for the first transaction after mysqld's start (default 1m)");
});
