import { watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger, type Clock, type Logger } from "@moco-ts/base";
import type { Informer } from "../cache/informer.ts";
import type { Secret } from "../types/generated/index.ts";
import { keyOf, type ObjectKey } from "../types/object.ts";
import { isPair } from "./inspect.ts";
import { CurrentCertificate, type Certificate } from "./source.ts";
import { text } from "./stored-keys.ts";
import { onEachChange } from "./upkeep.ts";

export interface SecretCertificateOptions {
  /** Of the Secret's namespace, or of that one Secret. Somebody else runs it. */
  readonly secrets: Informer<Secret>;
  readonly secret: ObjectKey;
  readonly clock: Clock;
  readonly logger?: Logger;
}

export interface DirectoryCertificateOptions {
  readonly directory: string;
  /** Milliseconds after which the files are read in any case: not every file system tells of changes. Default 10,000. */
  readonly interval?: number;
  readonly clock: Clock;
  readonly logger?: Logger;
}

const hour = 3_600_000;

/** A certificate from a Secret that somebody else fills (tls.crt, tls.key, ca.crt). It is only read. */
export class SecretCertificate extends CurrentCertificate {
  readonly #options: SecretCertificateOptions;

  constructor(options: SecretCertificateOptions) {
    super();
    this.#options = options;
  }

  /** Follows the Secret until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, secrets, secret, logger = silentLogger } = this.#options;
    await onEachChange({ clock, logger, informers: [secrets], signal }, async () => {
      const data = secrets.cache.get(keyOf(secret))?.data ?? {};
      const certificate = text(data, "tls.crt");
      take(this, { certificate, privateKey: text(data, "tls.key"), authorities: text(data, "ca.crt") }, logger, {
        object: keyOf(secret),
      });
      return hour;
    });
  }
}

/** A certificate from files that somebody else writes (tls.crt, tls.key, and ca.crt if there is one). */
export class DirectoryCertificate extends CurrentCertificate {
  readonly #options: DirectoryCertificateOptions;

  constructor(options: DirectoryCertificateOptions) {
    super();
    this.#options = options;
  }

  /** Follows the files until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, directory, interval = 10_000, logger = silentLogger } = this.#options;
    const read = (name: string): Promise<string> => readFile(join(directory, name), "utf8");
    await onEachChange({ clock, logger, informers: [], triggers: [onFileChange(directory)], signal }, async () => {
      const [certificate, privateKey] = await Promise.all([read("tls.crt"), read("tls.key")]);
      // Only those need it who tell clients whom to trust.
      const authorities = await read("ca.crt").catch(() => "");
      take(this, { certificate, privateKey, authorities }, logger, { directory });
      return interval;
    });
  }
}

/** A pair that does not fit together is being written: the old one serves until it does. */
function take(current: CurrentCertificate, found: Certificate, logger: Logger, where: Record<string, string>): void {
  if (!isPair(found)) logger.warn("there is no certificate with its private key", where);
  else if (current.set(found)) logger.info("took a certificate into use", where);
}

function onFileChange(directory: string): (wake: () => void) => () => void {
  return (wake) => {
    try {
      const watcher = watch(directory, wake);
      // The directory may go away, or the system may be out of watches: it is read at intervals anyway.
      watcher.on("error", () => watcher.close());
      return () => watcher.close();
    } catch {
      // The same.
      return () => undefined;
    }
  };
}
