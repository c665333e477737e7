import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";

const kubelets = "--use-k8s-metrics-api";

describe("flags", () => {
  it("have the defaults that users know", () => {
    expect(readConfig([kubelets], {})).toMatchObject({
      metricsAddress: ":8080",
      healthAddress: ":8081",
      webhook: { address: ":9443", certificateDirectory: "/certs" },
      namespaces: [],
      interval: 60_000,
      usage: { source: "kubelet" },
      rules: { needEnabled: true, cooldown: 0, resizeTimeout: 900_000, retryAfter: 3_600_000 },
      dryRun: false,
      metricsResetSize: 0,
      logLevel: "info",
      explain: undefined,
    });
  });

  it("are read in Go's notations", () => {
    const config = readConfig(
      [
        "--use-k8s-metrics-api=true",
        "--no-annotation-check=true",
        "--pvc-mutating-webhook-enabled=false",
        "--namespaces=a,b",
        "--namespaces=c",
        "--interval=10s",
        "--metrics-reset-size-threshold=1000",
        "--cooldown=6h",
        "--development",
        "--zap-encoder=json",
        "--zap-stacktrace-level=error",
        "--zap-time-encoding=iso8601",
      ],
      { POD_NAMESPACE: "system" },
    );
    expect(config).toMatchObject({
      systemNamespace: "system",
      webhook: undefined,
      namespaces: ["a", "b", "c"],
      interval: 10_000,
      rules: { needEnabled: false, cooldown: 21_600_000 },
      metricsResetSize: 1000,
      logLevel: "debug",
    });
    expect(readConfig([kubelets, "--no-annotation-check=false"], {}).rules.needEnabled).toBe(true);
    expect(readConfig([kubelets, "--no-annotation-check"], {}).rules.needEnabled).toBe(false);
    expect(readConfig(["--dry-run", "explain", "a/b"], {})).toMatchObject({ dryRun: true, explain: { name: "b" } });
    expect(readConfig([kubelets, "--zap-log-level=error"], {}).logLevel).toBe("error");
    expect(readConfig([kubelets, "--cert-dir="], {}).webhook?.certificateDirectory).toBeUndefined();
  });

  it("let the kubelets go before Prometheus", () => {
    expect(readConfig([kubelets, "--prometheus-url=http://p:9090"], {}).usage.source).toBe("kubelet");
    expect(readConfig(["--use-k8s-metrics-api=false", "--prometheus-url=http://p:9090"], {}).usage).toMatchObject({
      source: "prometheus",
      prometheus: { url: new URL("http://p:9090") },
    });
  });

  it("tell how to reach Prometheus, and keep a password in its URL out of that", () => {
    const { usage } = readConfig(
      [
        "--prometheus-url=https://me:p%40ss@p:9090/path",
        "--prometheus-header=X-Scope-OrgID: one",
        "--prometheus-header=X-Other: two",
        "--prometheus-ca-file=/ca",
        "--prometheus-cert-file=/crt",
        "--prometheus-key-file=/key",
        "--metrics-timeout=5s",
      ],
      {},
    );
    expect(usage).toMatchObject({
      timeout: 5000,
      prometheus: {
        basic: { username: "me", password: "p@ss" },
        headers: ["X-Scope-OrgID: one", "X-Other: two"],
        caFile: "/ca",
        certificateFile: "/crt",
        keyFile: "/key",
      },
    });
    expect(usage.source === "prometheus" && usage.prometheus.url.href).toBe("https://p:9090/path");
  });

  it("that don't fit are refused with what to do", () => {
    expect(() => readConfig([], {})).toThrow("enable use-k8s-metrics-api or provide prometheus-url");
    expect(() => readConfig(["--prometheus-url=prometheus:9090"], {})).toThrow("not an http or https URL");
    expect(() => readConfig(["--prometheus-url=http://p", "--prometheus-cert-file=/c"], {})).toThrow("go together");
    expect(() => readConfig([kubelets, "explan", "a/b"], {})).toThrow("not a command: explan a/b");
    expect(() => readConfig([kubelets, "explain", "a"], {})).toThrow("explain NAMESPACE/PVC");
  });

  it("may come with a claim to explain, which needs no source", () => {
    expect(readConfig(["explain", "default/data"], {})).toMatchObject({
      explain: { namespace: "default", name: "data" },
      usage: { source: "kubelet" },
    });
    expect(readConfig(["explain", "default/data", "--prometheus-url=http://p"], {}).usage.source).toBe("prometheus");
  });
});

it("without a source of statistics the program ends with code 2 and the reason", async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts")], { env: {}, stdio: "pipe" });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = await once(child, "close");
  expect(code).toBe(2);
  expect(output).toContain("enable use-k8s-metrics-api or provide prometheus-url");
}, 30_000);
