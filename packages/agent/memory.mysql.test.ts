import { readFile, rm } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { bundle } from "@moco-ts/bundle";
import { freePorts, makeVolumes, startContainer, startMysqld } from "@moco-ts/mysql/testing";
import { environment } from "./testing/agent.ts";
import { makeCertificates } from "./testing/certificates.ts";
import { agentClient } from "./testing/client.ts";

const containerfile = join(import.meta.dirname, "..", "..", "images", "moco-agent", "Containerfile");

/** MiB of memory and seconds of CPU that a process has used. */
async function usage(pid: number): Promise<{ memory: number; cpu: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const [, kibibytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(status) ?? [];
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]!.split(" ");
  return { memory: Number(kibibytes) / 1024, cpu: (Number(fields[11]) + Number(fields[12])) / 100 };
}

function ask(port: number, path: string): Promise<number> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path, agent: false }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode!));
    });
    request.on("error", () => resolve(0));
  });
}

test("the bundled agent starts quickly, and stays small however often it is asked", async () => {
  const [volumes, certificates] = [await makeVolumes("program"), await makeCertificates()];
  onTestFinished(() => rm(volumes.parent, { recursive: true }));
  await bundle(join(import.meta.dirname, "testing", "main.ts"), join(volumes.program, "moco-agent.js"), {
    compact: true,
  });
  const [, entry = "[]"] = /^ENTRYPOINT (.*)$/m.exec(await readFile(containerfile, "utf8")) ?? [];
  const command = (JSON.parse(entry) as string[]).map((word) => word.replace("/moco-agent.js", "/moco/moco-agent.js"));
  const mysqld = await startMysqld();
  onTestFinished(() => mysqld.dispose());
  const [grpc, probes, metrics] = (await freePorts(3)) as [number, number, number];
  const addresses = { address: grpc, "probe-address": probes, "metrics-address": metrics };
  const flags = Object.entries(addresses).map(([flag, port]) => `--${flag}=127.0.0.1:${port}`);
  const agent = await startContainer({
    command: [...command, ...flags, "--mysqld-localhost"],
    volumes: {
      "/moco": volumes.program,
      "/run": mysqld.volumes.run,
      "/var/log/mysql": mysqld.volumes.logs,
      "/grpc-cert": certificates.directory,
    },
    environment: { ...environment, MYSQLD_PORT: String(mysqld.adminPort) },
  });
  onTestFinished(() => agent.signal("SIGKILL"));
  while ((await ask(probes, "/healthz")) !== 200) expect(agent.output()).not.toContain('"level":"error"');
  expect((await usage(agent.pid)).cpu).toBeLessThan(0.5);
  while (!agent.output().includes("the instance has its users and plugins")) await delay(20);

  const call = await agentClient(grpc, certificates);
  const admin = await mysqld.connect("moco-admin", "moco-admin");
  await admin.query("SET GLOBAL read_only = OFF");
  await admin.query("CREATE DATABASE test");
  for (let round = 0; round < 25; round++) {
    for (let probe = 0; probe < 100; probe++) {
      await Promise.all([ask(probes, "/healthz"), ask(probes, "/readyz")]);
    }
    expect(await ask(metrics, "/metrics")).toBe(200);
    expect(await call({ host: "127.0.0.1", port: 1 })).toMatchObject({ code: 9 });
  }
  const { memory } = await usage(agent.pid);
  expect(memory).toBeLessThan(85);
  agent.signal("SIGTERM");
  expect(await agent.ended).toMatchObject({ code: 0 });
}, 600_000);
