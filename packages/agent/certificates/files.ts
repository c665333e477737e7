import { watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { dataKeys } from "@moco-ts/api";
import type { Clock, Logger } from "@moco-ts/base";

/** In PEM: what a server shows, and whom it trusts. */
export interface CertificateFiles {
  readonly authority: string;
  readonly certificate: string;
  readonly privateKey: string;
}

/** Milliseconds after which the files are read in any case: not every file system tells of changes. */
const interval = 3_600_000;

/** Reads the files of a Secret. Rejects if they are not there, or don't fit together. */
export async function readCertificates(directory: string): Promise<CertificateFiles> {
  const [authority, certificate, privateKey] = await Promise.all(
    [dataKeys.authority, dataKeys.certificate, dataKeys.privateKey].map((name) =>
      readFile(join(directory, name), "utf8"),
    ),
  );
  const files = { authority: authority!, certificate: certificate!, privateKey: privateKey! };
  if (!new X509Certificate(files.certificate).checkPrivateKey(createPrivateKey(files.privateKey))) {
    throw new Error(`the certificate and the private key in ${directory} don't belong together`);
  }
  return files;
}

/** Calls back with new files when they have changed, until the signal is aborted. */
export function watchCertificates(
  options: { directory: string; current: CertificateFiles; clock: Clock; logger: Logger; signal: AbortSignal },
  onChange: (files: CertificateFiles) => void,
): void {
  const { directory, clock, logger, signal } = options;
  let current = options.current;
  let cancel = (): void => undefined;
  const look = async (): Promise<void> => {
    cancel();
    if (signal.aborted) return;
    cancel = clock.schedule(interval, () => void look());
    try {
      const files = await readCertificates(directory);
      if (Object.entries(files).every(([key, text]) => current[key as keyof CertificateFiles] === text)) return;
      current = files;
      onChange(files);
    } catch (error) {
      // They are being replaced; the old ones serve until then.
      logger.warn("the certificates can't be read", { error });
    }
  };
  // The kubelet moves a link, which comes as several events: the last one finds all in place.
  let settle = (): void => undefined;
  const watcher = watch(directory, { persistent: false }, () => {
    settle();
    settle = clock.schedule(100, () => void look());
  });
  watcher.on("error", () => watcher.close());
  cancel = clock.schedule(interval, () => void look());
  signal.addEventListener(
    "abort",
    () => {
      cancel();
      settle();
      watcher.close();
    },
    { once: true },
  );
}
