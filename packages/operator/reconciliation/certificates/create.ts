import { existsSync } from "node:fs";
import type { Clock, Logger } from "@moco-ts/base";
import {
  createInformer,
  DirectoryCertificate,
  keyOf,
  ManagedCertificate,
  Secrets,
  type Certificate,
  type Client,
  type Component,
  type Informer,
  type Secret,
} from "@moco-ts/kube";
import { AgentAuthority, controllerRequest } from "./authority.ts";
import { overlap } from "./renewal.ts";

/** Our own authority. Not MOCO's name for it, under which cert-manager may keep another one. */
const ownSecret = "moco-agent-keys";
/** Where MOCO has cert-manager keep its authority. */
const adoptedSecret = "moco-grpc-ca";

export interface AgentCertificatesOptions {
  /** Reads. */
  readonly client: Client;
  /** Writes only while this replica leads. */
  readonly acting: Client;
  readonly namespace: string;
  /** With a certificate to call agents with, if it exists. */
  readonly directory: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface AgentCertificates {
  readonly authority: AgentAuthority;
  /** Every cluster's certificate may have to follow when they change. */
  readonly informers: readonly Informer<Secret>[];
  readonly component: Component;
}

/** All that is behind the certificates of agents, and of the controller that calls them. */
export function createAgentCertificates(options: AgentCertificatesOptions): AgentCertificates {
  const { client, acting, namespace, directory, clock, logger } = options;
  const follow = (name: string): Informer<Secret> =>
    createInformer(client, Secrets, { namespaces: [namespace], fieldSelector: `metadata.name=${name}`, logger });
  const [own, adopted] = [follow(ownSecret), follow(adoptedSecret)];
  const secret = { namespace, name: ownSecret };
  const keeper = new ManagedCertificate({
    client: acting,
    secrets: own,
    secret,
    leaf: controllerRequest,
    overlap,
    clock,
    logger,
  });
  const given =
    directory !== undefined && existsSync(directory)
      ? new DirectoryCertificate({ directory, clock, logger })
      : undefined;
  let certificate: Certificate | undefined;
  given?.subscribe((changed) => {
    certificate = changed;
  });
  return {
    authority: new AgentAuthority({
      readOwn: () => own.cache.get(keyOf(secret)),
      readAdopted: () => adopted.cache.get(keyOf({ namespace, name: adoptedSecret })),
      readGiven: () => certificate,
      clock,
    }),
    informers: [own, adopted],
    component: {
      name: "agent certificates",
      async run(signal) {
        await Promise.all([keeper.run(signal), given?.run(signal)]);
      },
    },
  };
}
