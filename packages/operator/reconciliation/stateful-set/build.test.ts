import { describe, expect, test } from "vitest";
import { testCluster } from "../testing/clusters.ts";
import { containerOf, mocoInput, podSpec, testInput } from "../testing/instances.ts";
import { mocoStatefulSet } from "../testing/moco.ts";
import { buildStatefulSet } from "./build.ts";

test("version 1 wants nothing but what MOCO makes", () => {
  expect(mocoStatefulSet()).toMatchObject(buildStatefulSet(mocoInput()));
});

test.each([1, 2] as const)("the StatefulSet of a small cluster, version %i", (version) => {
  const { metadata, spec } = buildStatefulSet(testInput(version));
  const labels = {
    "app.kubernetes.io/name": "mysql",
    "app.kubernetes.io/instance": "test",
    "app.kubernetes.io/created-by": "moco",
  };
  const owner = { kind: "MySQLCluster", name: "test", controller: true, blockOwnerDeletion: true };
  expect(metadata).toEqual({
    name: "moco-test",
    namespace: "shop",
    labels,
    ownerReferences: [expect.objectContaining(owner)],
  });
  const { template, volumeClaimTemplates, ...rest } = spec!;
  expect(rest).toEqual({
    replicas: 1,
    podManagementPolicy: "Parallel",
    updateStrategy: { type: "RollingUpdate" },
    serviceName: "moco-test",
    selector: { matchLabels: labels },
  });
  expect(template!.metadata).toEqual({ labels });
  expect(volumeClaimTemplates).toEqual([
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "mysql-data", ownerReferences: [expect.objectContaining(owner)] },
      spec: {
        accessModes: ["ReadWriteOnce"],
        volumeMode: "Filesystem",
        resources: { requests: { storage: "1Gi" } },
      },
      status: { phase: "Pending" },
    },
  ]);
});

test("an offline cluster has no instances", () => {
  expect(buildStatefulSet(testInput(2, { replicas: 3, offline: true })).spec!.replicas).toBe(0);
});

test("the annotation that forces rolling updates is copied, and only if it says true", () => {
  const annotated = (value: string) =>
    buildStatefulSet({
      ...testInput(2),
      cluster: testCluster({}, { annotations: { "moco.cybozu.com/force-rolling-update": value, other: "1" } }),
    }).metadata.annotations;
  expect(annotated("true")).toEqual({ "moco.cybozu.com/force-rolling-update": "true" });
  expect(annotated("yes")).toBeUndefined();
});

describe("the Pods", () => {
  test("have our labels, whatever the user gives", () => {
    const metadata = {
      labels: { a: "1", "app.kubernetes.io/name": "other" },
      annotations: { b: "2" },
      name: "ignored",
    };
    const given = { metadata, spec: { containers: [{ name: "mysqld" }] } };
    expect(buildStatefulSet(testInput(2, { podTemplate: given })).spec!.template!.metadata).toEqual({
      labels: {
        a: "1",
        "app.kubernetes.io/name": "mysql",
        "app.kubernetes.io/instance": "test",
        "app.kubernetes.io/created-by": "moco",
      },
      annotations: { b: "2" },
    });
  });

  test.each([
    ["terminationGracePeriodSeconds", 300, 60],
    [
      "securityContext",
      { fsGroup: 10000, fsGroupChangePolicy: "OnRootMismatch" },
      { fsGroup: 1, fsGroupChangePolicy: "Always" },
    ],
    ["affinity", expect.objectContaining({ podAntiAffinity: expect.anything() }), {}],
  ] as const)("have %s, which the user may replace", (field, standard, given) => {
    const containers = [{ name: "mysqld" }];
    expect(podSpec(2)[field]).toEqual(standard);
    expect(podSpec(2, { podTemplate: { spec: { containers, [field]: given } } })[field]).toEqual(given);
  });

  test("run as our ServiceAccount", () => {
    const spec = { containers: [{ name: "mysqld" }], serviceAccountName: "other", dnsPolicy: "Default" };
    expect(podSpec(2, { podTemplate: { spec } })).toMatchObject({
      serviceAccountName: "moco-test",
      dnsPolicy: "Default",
    });
  });

  test("run as the images' users if the defaults are disabled", () => {
    const spec = podSpec(2, {}, { defaultSecurityContext: false });
    expect(spec.securityContext).toEqual({ fsGroupChangePolicy: "OnRootMismatch" });
    for (const { securityContext } of [...spec.containers!, ...spec.initContainers!])
      expect(securityContext).toEqual({});
  });

  test.each([1, 2] as const)("have the user's volumes first, then ours, version %i", (version) => {
    const spec = { containers: [{ name: "mysqld" }], volumes: [{ name: "extra", emptyDir: {} }] };
    const secret = (secretName: string) => ({ secret: { secretName, defaultMode: 0o644 } });
    const configMap = (name: string) => ({ configMap: { name, defaultMode: 0o644 } });
    expect(podSpec(version, { podTemplate: { spec } }).volumes).toEqual([
      { name: "extra", emptyDir: {} },
      { name: "tmp" },
      { name: "run" },
      { name: "var-log" },
      { name: "mysql-conf-d" },
      { name: "shared" },
      { name: "mysql-conf", ...configMap("moco-test.1") },
      { name: "my-cnf-secret", ...secret("moco-my-cnf-test") },
      { name: "grpc-cert", ...secret("moco-test-grpc") },
      { name: "slow-fluent-bit-config", ...configMap("moco-slow-log-agent-config-test.2") },
    ]);
  });

  const names = (...given: Parameters<typeof podSpec>): (string | null | undefined)[] =>
    podSpec(...given).containers!.map(({ name }) => name);

  test.each([
    ["by default", {}, ["mysqld", "agent", "slow-log", "side"]],
    ["with collectors", { collectors: ["a"] }, ["mysqld", "agent", "slow-log", "mysqld-exporter", "side"]],
    ["without the slow log", { disableSlowQueryLogContainer: true }, ["mysqld", "agent", "side"]],
  ])("have containers in a fixed order: %s", (_, spec, expected) => {
    const podTemplate = { spec: { containers: [{ name: "side" }, { name: "mysqld" }] } };
    expect(names(2, { podTemplate, ...spec })).toEqual(expected);
    expect(names(1, { podTemplate, ...spec })).toEqual(expected);
  });

  test("have sidecars of the user's where ours are not wanted", () => {
    const podTemplate = {
      spec: { containers: [{ name: "mysqld" }, { name: "slow-log" }, { name: "mysqld-exporter" }] },
    };
    const spec = { podTemplate, disableSlowQueryLogContainer: true };
    expect(names(2, spec)).toEqual(["mysqld", "agent", "slow-log", "mysqld-exporter"]);
    expect(containerOf("slow-log", 2, spec)).toEqual({
      name: "slow-log",
      securityContext: { runAsUser: 10000, runAsGroup: 10000 },
    });
  });

  test("have no volume for a slow log that is not printed", () => {
    const volumes = podSpec(2, { disableSlowQueryLogContainer: true }).volumes!;
    expect(volumes.map(({ name }) => name)).not.toContain("slow-fluent-bit-config");
  });

  test("prepare themselves before the user's init containers run", () => {
    const spec = { containers: [{ name: "mysqld" }], initContainers: [{ name: "pre", image: "pre:1" }] };
    const { initContainers } = podSpec(2, { podTemplate: { spec } });
    expect(initContainers!.map(({ name }) => name)).toEqual(["copy-moco-init", "moco-init", "pre"]);
    expect(initContainers![2]).toEqual({
      name: "pre",
      image: "pre:1",
      securityContext: { runAsUser: 10000, runAsGroup: 10000 },
    });
  });
});

describe("volume claim templates", () => {
  test("are the user's, with our defaults", () => {
    const metadata = { name: "mysql-data", labels: { a: "1" }, annotations: { b: "2" } };
    const spec = { accessModes: ["ReadWriteMany"], volumeMode: "Block", storageClassName: "fast" };
    const [template] = buildStatefulSet(testInput(2, { volumeClaimTemplates: [{ metadata, spec }] })).spec!
      .volumeClaimTemplates!;
    expect(template).toMatchObject({ metadata, spec });
  });

  test("keep the API version by which a very old one names its owner, since they can't be changed", () => {
    const live = mocoStatefulSet();
    const templates = live.spec!.volumeClaimTemplates!;
    templates[0]!.metadata!.ownerReferences![0]!.apiVersion = "moco.cybozu.com/v1beta1";
    const built = buildStatefulSet({ ...mocoInput(), live }).spec!.volumeClaimTemplates!;
    expect(built.map(({ metadata }) => metadata!.ownerReferences![0]!.apiVersion)).toEqual([
      "moco.cybozu.com/v1beta1",
      "moco.cybozu.com/v1beta2",
    ]);
  });
});

test("a cluster without mysqld, or without a base for server_ids, can't be built", () => {
  const nobody = testInput(2, { podTemplate: { spec: { containers: [{ name: "other" }] } } });
  expect(() => buildStatefulSet(nobody)).toThrow(expect.objectContaining({ code: "MYSQLD_MISSING" }));
  const { serverIDBase: _, ...spec } = testCluster().spec;
  const noBase = { ...testInput(2), cluster: { ...testCluster(), spec } };
  expect(() => buildStatefulSet(noBase)).toThrow(expect.objectContaining({ code: "SERVER_ID_BASE_MISSING" }));
});
