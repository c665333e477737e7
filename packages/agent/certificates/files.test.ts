import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { silentLogger, SimulatedClock, systemClock, type Clock } from "@moco-ts/base";
import { makeCertificates } from "../testing/certificates.ts";
import { readCertificates, watchCertificates, type CertificateFiles } from "./files.ts";

async function watching(clock: Clock) {
  const certificates = await makeCertificates();
  const seen: CertificateFiles[] = [];
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const current = await readCertificates(certificates.directory);
  const { signal } = controller;
  watchCertificates({ directory: certificates.directory, current, clock, logger: silentLogger, signal }, (files) => {
    seen.push(files);
  });
  return { certificates, seen };
}

test("a change is seen soon, once, and whole", async () => {
  const { certificates, seen } = await watching(systemClock);
  const { authority } = await certificates.replace();
  await vi.waitFor(() => expect(seen).toHaveLength(1));
  expect(seen[0]!.authority).toBe(authority);
  await certificates.replace();
  await vi.waitFor(() => expect(seen).toHaveLength(2));
});

test("a change that the file system does not tell of is seen within the hour", async () => {
  const clock = new SimulatedClock();
  const { certificates, seen } = await watching(clock);
  await certificates.replace();
  expect(seen).toHaveLength(0);
  await clock.advance(3_600_000);
  await vi.waitFor(() => expect(seen).toHaveLength(1));
});

test("files that don't fit together are not taken", async () => {
  const { certificates, seen } = await watching(systemClock);
  const other = await readCertificates((await makeCertificates()).directory);
  await rm(join(certificates.directory, "tls.key"));
  await writeFile(join(certificates.directory, "tls.key"), other.privateKey);
  await expect(readCertificates(certificates.directory)).rejects.toThrow("don't belong together");
  await certificates.replace();
  await rm(join(certificates.directory, "tls.crt"));
  await writeFile(join(certificates.directory, "tls.crt"), other.certificate);
  await vi.waitFor(() => expect(seen.at(-1)?.certificate).toBe(other.certificate));
});
