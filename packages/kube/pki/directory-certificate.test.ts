import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createLogger, SimulatedClock } from "@moco-ts/base";
import { loopbackCertificate } from "../testing/webhooks.ts";
import { DirectoryCertificate } from "./given-certificate.ts";
import type { Certificate } from "./source.ts";

async function setup() {
  const directory = await mkdtemp(join(tmpdir(), "certificates-"));
  const controller = new AbortController();
  const clock = new SimulatedClock();
  const lines: string[] = [];
  const logger = createLogger({ destination: { write: (line: string) => void lines.push(line) } });
  const source = new DirectoryCertificate({ directory, clock, logger });
  const seen: Certificate[] = [];
  source.subscribe((certificate) => seen.push(certificate));
  onTestFinished(async () => {
    controller.abort();
    await running;
    await rm(directory, { recursive: true });
  });
  const running = source.run(controller.signal);
  return { directory, source, seen, clock, lines, signal: controller.signal };
}

/** As the kubelet does it: a new directory, and a link that is moved over the old one. */
async function mount(directory: string, name: string, { certificate, privateKey, authorities }: Certificate) {
  await mkdir(join(directory, name));
  await writeFile(join(directory, name, "tls.crt"), certificate);
  await writeFile(join(directory, name, "tls.key"), privateKey);
  await writeFile(join(directory, name, "ca.crt"), authorities);
  await symlink(name, join(directory, "..data_tmp"));
  await rename(join(directory, "..data_tmp"), join(directory, "..data"));
  for (const file of ["tls.crt", "tls.key", "ca.crt"]) {
    await symlink(join("..data", file), join(directory, file)).catch(() => undefined);
  }
}

test("a mounted Secret is taken into use when it comes, and again when the kubelet replaces it", async () => {
  const { directory, source, seen, signal, clock } = await setup();
  const ready = source.ready(signal);
  const [first, second] = [await loopbackCertificate(), await loopbackCertificate()];
  await mount(directory, "..1", first);
  await clock.advance(10_000);
  await vi.waitFor(() => expect(seen.at(-1)).toEqual(first), 10_000);
  expect((await ready).certificate).toBe(first.certificate);
  await mount(directory, "..2", second);
  await vi.waitFor(() => expect(seen.at(-1)).toEqual(second), 10_000);
});

test("a certificate whose key is not written yet is not taken", async () => {
  const { directory, seen, clock, lines } = await setup();
  const [first, second] = [await loopbackCertificate(), await loopbackCertificate()];
  await writeFile(join(directory, "tls.key"), first.privateKey);
  await writeFile(join(directory, "tls.crt"), first.certificate);
  await vi.waitFor(async () => {
    await clock.advance(10_000);
    expect(seen.map(({ certificate }) => certificate)).toEqual([first.certificate]);
  }, 10_000);
  await writeFile(join(directory, "tls.crt"), second.certificate);
  await vi.waitFor(() => expect(lines.join("")).toContain("there is no certificate with its private key"), 10_000);
  await writeFile(join(directory, "tls.key"), second.privateKey);
  await vi.waitFor(() => expect(seen.at(-1)!.certificate).toBe(second.certificate), 10_000);
  expect(seen).toHaveLength(2);
});
