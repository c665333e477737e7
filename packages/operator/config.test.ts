import { describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";

const environment = { POD_NAMESPACE: "moco-system" };

describe("the controller's flags", () => {
  it("have the defaults of today's controller", () => {
    expect(readConfig([], environment)).toMatchObject({
      systemNamespace: "moco-system",
      leaderElectionId: "moco",
      metricsAddress: ":8080",
      healthAddress: ":8081",
      webhookAddress: ":9443",
      agentCertificateDirectory: "/grpc-cert",
      checkInterval: 60_000,
      concurrency: 8,
      configMapHistoryLimit: 10,
      partitionUpdateInterval: 0,
      maxConcurrentRollouts: 0,
      requestsPerSecond: 20,
      defaultSecurityContext: true,
      logLevel: "info",
    });
  });

  it("are all accepted, in Go's notations", () => {
    const config = readConfig(
      [
        "--agent-image=agent:2",
        "--pvc-sync-label-keys=a,b",
        "--pvc-sync-label-keys=c",
        "--check-interval=1m30s",
        "--partition-update-interval=10m",
        "--max-concurrent-rollouts=5",
        "--zap-devel",
        "--zap-encoder=json",
        "--pprof-addr=:6060",
        "--disable-default-security-context",
      ],
      environment,
    );
    expect(config).toMatchObject({
      images: { agent: "agent:2", agentV1: "agent:2" },
      claimSync: { labelKeys: ["a", "b", "c"], annotationKeys: [] },
      checkInterval: 90_000,
      partitionUpdateInterval: 600_000,
      maxConcurrentRollouts: 5,
      logLevel: "debug",
      defaultSecurityContext: false,
    });
  });

  it("let version 1 Pods keep their agent", () => {
    const { images } = readConfig(["--agent-image=agent:2", "--agent-image-v1=agent:1"], environment);
    expect(images).toMatchObject({ agent: "agent:2", agentV1: "agent:1" });
  });

  it("need the namespace, and say how to give it", () => {
    expect(() => readConfig([], {})).toThrow(/POD_NAMESPACE is not set: .*downward API/);
  });
});
