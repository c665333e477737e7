import { describe, expect, test } from "vitest";
import { containerOf } from "../../testing/instances.ts";

const user = { runAsUser: 10000, runAsGroup: 10000 };
const mysqldSpec = (mysqld: object) => ({
  podTemplate: { spec: { containers: [{ name: "mysqld", image: "mysql:8.4", ...mysqld }] } },
});
const both = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });
const unlimited = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { memory } });

describe("mysqld", () => {
  const mounts = [
    { name: "tmp", mountPath: "/tmp" },
    { name: "run", mountPath: "/run" },
    { name: "var-log", mountPath: "/var/log/mysql" },
    { name: "mysql-conf", mountPath: "/etc/mysql" },
    { name: "mysql-conf-d", mountPath: "/etc/mysql-conf.d" },
    { name: "my-cnf-secret", mountPath: "/mysql-credentials", readOnly: true },
    { name: "mysql-data", mountPath: "/var/lib/mysql" },
  ];
  const ports = [
    { name: "mysql", containerPort: 3306, protocol: "TCP" },
    { name: "mysqlx", containerPort: 33060, protocol: "TCP" },
    { name: "mysql-admin", containerPort: 33062, protocol: "TCP" },
    { name: "health", containerPort: 9081, protocol: "TCP" },
  ];
  const asking = (path: string) => ({ httpGet: { path, port: "health", scheme: "HTTP" } });

  test("version 1", () => {
    expect(containerOf("mysqld", 1)).toEqual({
      name: "mysqld",
      image: "mysql:8.4",
      args: ["--defaults-file=/etc/mysql/my.cnf"],
      lifecycle: { preStop: { exec: { command: ["sleep", "20"] } } },
      ports,
      startupProbe: { ...asking("/healthz"), periodSeconds: 10, failureThreshold: 360 },
      livenessProbe: asking("/healthz"),
      readinessProbe: asking("/readyz"),
      volumeMounts: mounts,
      securityContext: user,
    });
  });

  test("version 2: process 1 of ours, an early end of preStop, TLS, and quick probes", () => {
    expect(containerOf("mysqld", 2)).toEqual({
      name: "mysqld",
      image: "mysql:8.4",
      command: ["/moco/moco-mysqld", "mysqld"],
      args: ["--defaults-file=/etc/mysql/my.cnf"],
      lifecycle: { preStop: { exec: { command: ["/moco/moco-pre-stop", "20"] } } },
      ports,
      startupProbe: { ...asking("/healthz"), periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 3600 },
      livenessProbe: { ...asking("/healthz"), periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 15 },
      readinessProbe: { ...asking("/readyz"), periodSeconds: 1, timeoutSeconds: 2 },
      volumeMounts: [
        ...mounts,
        { name: "shared", mountPath: "/moco", readOnly: true },
        { name: "grpc-cert", mountPath: "/grpc-cert", readOnly: true },
      ],
      securityContext: user,
    });
  });

  test("version 2 gives way where the user mounts something of his own", () => {
    const at = (mountPath: string) => ({ name: mountPath.replaceAll("/", "") || "x", mountPath });
    const mysqld = containerOf("mysqld", 2, mysqldSpec({ volumeMounts: [at("/moco/"), at("/grpc-cert/sub")] }));
    expect(mysqld.command).toEqual(["/moco-2/moco-mysqld", "mysqld"]);
    expect(mysqld.lifecycle?.preStop?.exec?.command).toEqual(["/moco-2/moco-pre-stop", "20"]);
    expect(mysqld.volumeMounts).toEqual(
      expect.arrayContaining([
        { name: "shared", mountPath: "/moco-2", readOnly: true },
        { name: "grpc-cert", mountPath: "/grpc-cert-2", readOnly: true },
      ]),
    );
  });

  test.each([
    { version: 1, command: ["run"], args: ["-a", "--defaults-file=/etc/mysql/my.cnf"] },
    { version: 2, command: ["/moco/moco-mysqld", "run"], args: ["--defaults-file=/etc/mysql/my.cnf", "-a"] },
  ] as const)("the user's command and arguments are kept: $version", ({ version, ...expected }) => {
    expect(containerOf("mysqld", version, mysqldSpec({ command: ["run"], args: ["-a"] }))).toMatchObject(expected);
  });

  test("what else the user gives is kept, and comes first", () => {
    const given = {
      env: [{ name: "A", value: "b" }],
      resources: { limits: { cpu: "2" } },
      ports: [{ name: "x", containerPort: 1 }],
      volumeMounts: [{ name: "extra", mountPath: "/extra" }],
      securityContext: { runAsUser: 1, readOnlyRootFilesystem: true },
      workingDir: "/work",
    };
    expect(containerOf("mysqld", 1, mysqldSpec(given))).toMatchObject({
      ...given,
      ports: [...given.ports, ...ports],
      volumeMounts: [...given.volumeMounts, ...mounts],
      securityContext: { runAsUser: 1, runAsGroup: 10000, readOnlyRootFilesystem: true },
    });
  });

  test.each([1, 2] as const)(
    "probes ask the agent, as often and patiently as the user likes, version %i",
    (version) => {
      const numbers = { periodSeconds: 7, failureThreshold: 8, timeoutSeconds: 9, successThreshold: 1 };
      const given = { ...numbers, exec: { command: ["true"] } };
      const probes = { startupProbe: given, livenessProbe: given, readinessProbe: given };
      expect(containerOf("mysqld", version, mysqldSpec(probes))).toMatchObject({
        startupProbe: { ...numbers, ...asking("/healthz") },
        livenessProbe: { ...numbers, ...asking("/healthz") },
        readinessProbe: { ...numbers, ...asking("/readyz") },
      });
      expect(containerOf("mysqld", version, mysqldSpec(probes)).livenessProbe).not.toHaveProperty("exec");
    },
  );

  test.each([
    { version: 1, startupWaitSeconds: 3600, failureThreshold: 360 },
    { version: 1, startupWaitSeconds: 19, failureThreshold: 1 },
    { version: 1, startupWaitSeconds: 0, failureThreshold: 1 },
    { version: 1, startupWaitSeconds: 600, periodSeconds: 5, failureThreshold: 60 },
    { version: 2, startupWaitSeconds: 600, failureThreshold: 600 },
    { version: 2, startupWaitSeconds: 0, failureThreshold: 1 },
    { version: 2, startupWaitSeconds: 601, periodSeconds: 5, failureThreshold: 121 },
    { version: 2, startupWaitSeconds: 600, periodSeconds: 0, failureThreshold: 600 },
  ] as const)("mysqld has its time to start: %o", ({ version, startupWaitSeconds, failureThreshold, ...given }) => {
    const spec = { startupWaitSeconds, ...mysqldSpec({ startupProbe: given }) };
    expect(containerOf("mysqld", version, spec).startupProbe).toMatchObject({ failureThreshold });
  });

  test("a user's lifecycle is replaced", () => {
    const lifecycle = { postStart: { exec: { command: ["true"] } } };
    expect(containerOf("mysqld", 1, mysqldSpec({ lifecycle })).lifecycle).toEqual({
      preStop: { exec: { command: ["sleep", "20"] } },
    });
  });
});

describe("the agent", () => {
  test.each([
    { version: 1, image: "agent:1", resources: both("100m", "100Mi"), flags: [] },
    {
      version: 2,
      image: "agent:2",
      resources: unlimited("100m", "100Mi"),
      flags: ["--queueing-wait-ends-early", "--health-timeout=4500ms", "--ready-timeout=1800ms"],
    },
  ] as const)("version $version", ({ version, image, resources, flags }) => {
    expect(containerOf("agent", version)).toEqual({
      name: "agent",
      image,
      args: ["--max-delay", "60s", ...flags],
      env: [
        { name: "POD_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
        { name: "CLUSTER_NAME", value: "test" },
      ],
      envFrom: [{ secretRef: { name: "moco-test" } }],
      ports: [
        { name: "agent", containerPort: 9080, protocol: "TCP" },
        { name: "agent-metrics", containerPort: 8080, protocol: "TCP" },
      ],
      volumeMounts: [
        { name: "run", mountPath: "/run" },
        { name: "var-log", mountPath: "/var/log/mysql" },
        { name: "grpc-cert", mountPath: "/grpc-cert", readOnly: true },
      ],
      resources,
      securityContext: user,
    });
  });

  test.each([
    [{ maxDelaySeconds: 0 }, ["--max-delay", "0s"]],
    [{ logRotationSchedule: "@daily" }, ["--max-delay", "60s", "--log-rotation-schedule", "@daily"]],
    [{ logRotationSize: 1048576 }, ["--max-delay", "60s", "--log-rotation-size", "1048576"]],
    [{ logRotationSize: 0, logRotationSchedule: "" }, ["--max-delay", "60s"]],
    [{ agentUseLocalhost: true }, ["--max-delay", "60s", "--mysqld-localhost", "true"]],
    [{ agentUseLocalhost: false }, ["--max-delay", "60s"]],
  ])("is told: %o", (spec, args) => {
    expect(containerOf("agent", 1, spec).args).toEqual(args);
  });

  test.each([
    [{ livenessProbe: { timeoutSeconds: 1 } }, "--health-timeout=900ms"],
    [{ startupProbe: { timeoutSeconds: 3 }, livenessProbe: { timeoutSeconds: 10 } }, "--health-timeout=2700ms"],
    [{ livenessProbe: { timeoutSeconds: 0 } }, "--health-timeout=900ms"],
    [{ readinessProbe: { timeoutSeconds: 10 } }, "--ready-timeout=9000ms"],
  ])("answers before the kubelet gives up: %o", (probes, flag) => {
    expect(containerOf("agent", 2, mysqldSpec(probes)).args).toContain(flag);
  });
});

test.each([
  { version: 1, resources: both("100m", "20Mi") },
  { version: 2, resources: unlimited("100m", "20Mi") },
] as const)("the slow log's printer, version $version", ({ version, resources }) => {
  expect(containerOf("slow-log", version)).toEqual({
    name: "slow-log",
    image: "fluent-bit:1",
    volumeMounts: [
      { name: "slow-fluent-bit-config", mountPath: "/fluent-bit/etc", readOnly: true },
      { name: "var-log", mountPath: "/var/log/mysql" },
    ],
    resources,
    securityContext: user,
  });
});

test.each([
  { version: 1, resources: both("200m", "100Mi") },
  { version: 2, resources: unlimited("200m", "100Mi") },
] as const)("the exporter, version $version", ({ version, resources }) => {
  expect(containerOf("mysqld-exporter", version, { collectors: ["a", "b.c"] })).toEqual({
    name: "mysqld-exporter",
    image: "exporter:1",
    args: ["--config.my-cnf=/mysql-credentials/moco-exporter-my.cnf", "--collect.a", "--collect.b.c"],
    ports: [{ name: "mysqld-metrics", containerPort: 9104, protocol: "TCP" }],
    volumeMounts: [
      { name: "run", mountPath: "/run" },
      { name: "my-cnf-secret", mountPath: "/mysql-credentials", readOnly: true },
    ],
    resources,
    securityContext: user,
  });
});

test.each([
  {
    version: 1,
    image: "agent:1",
    command: ["cp", "/moco-init", "/shared/moco-init"],
    resources: both("100m", "512Mi"),
  },
  {
    version: 2,
    image: "agent:2",
    command: ["cp", "/moco-init", "/moco-mysqld", "/moco-pre-stop", "/shared"],
    resources: unlimited("100m", "512Mi"),
  },
] as const)("copy-moco-init, version $version", ({ version, ...expected }) => {
  expect(containerOf("copy-moco-init", version)).toEqual({
    name: "copy-moco-init",
    ...expected,
    volumeMounts: [{ name: "shared", mountPath: "/shared" }],
    securityContext: user,
  });
});

describe("moco-init", () => {
  const command = ["/shared/moco-init", "--data-dir=/var/lib/mysql", "--conf-dir=/etc/mysql-conf.d"];

  test.each([
    { version: 1, resources: both("100m", "512Mi") },
    { version: 2, resources: unlimited("100m", "512Mi") },
  ] as const)("version $version", ({ version, resources }) => {
    expect(containerOf("moco-init", version)).toEqual({
      name: "moco-init",
      image: "mysql:8.4",
      command: [...command, "--init-timezones=false", "10"],
      env: [{ name: "POD_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } }],
      volumeMounts: [
        { name: "tmp", mountPath: "/tmp" },
        { name: "mysql-data", mountPath: "/var/lib/mysql" },
        { name: "mysql-conf-d", mountPath: "/etc/mysql-conf.d" },
        { name: "shared", mountPath: "/shared" },
      ],
      resources,
      securityContext: user,
    });
  });

  test("is told to load time zones, and to listen on localhost", () => {
    const spec = { initializeTimezoneData: true, agentUseLocalhost: true, serverIDBase: 7 };
    expect(containerOf("moco-init", 1, spec).command).toEqual([
      ...command,
      "--init-timezones=true",
      "7",
      "--mysqld-localhost=true",
    ]);
  });

  test("is told how mysqld treats names of tables, since that can't be changed later", () => {
    const args = (userOptions: Record<string, string>) => containerOf("moco-init", 1, {}, { userOptions }).args;
    expect(args({ lower_case_table_names: "1" })).toEqual(["--lower-case-table-names=1"]);
    expect(args({ other: "1" })).toBeUndefined();
  });
});

describe("overwriteContainers", () => {
  const overwrite = (overwriteContainers: object[]) => ({
    collectors: ["a"],
    podTemplate: { spec: { containers: [{ name: "mysqld" }] }, overwriteContainers: overwriteContainers as never[] },
  });

  test.each(["agent", "slow-log", "mysqld-exporter", "copy-moco-init", "moco-init"])(
    "replaces what is given: %s",
    (name) => {
      const resources = { requests: { cpu: "1" } };
      const securityContext = { runAsUser: 5 };
      expect(containerOf(name, 1, overwrite([{ name, resources }]))).toMatchObject({
        resources,
        securityContext: user,
      });
      expect(containerOf(name, 2, overwrite([{ name, securityContext }])).securityContext).toEqual(securityContext);
      expect(containerOf(name, 1, overwrite([{ name, resources: {} }])).resources).toEqual({});
    },
  );

  test("leaves the other containers alone", () => {
    const changed = overwrite([{ name: "agent", resources: {} }]);
    expect(containerOf("moco-init", 1, changed)).toEqual(containerOf("moco-init", 1, overwrite([])));
  });
});
