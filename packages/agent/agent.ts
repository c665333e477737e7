import { mysqlUsers, ports } from "@moco-ts/api";
import { isAbort, parseSchedule, systemClock, Metrics, type Logger } from "@moco-ts/base";
import { podPaths, type ConnectOptions } from "@moco-ts/mysql";
import { readCertificates, watchCertificates } from "./certificates/files.ts";
import { reloadMysqldCertificate } from "./certificates/mysqld.ts";
import { Cloner } from "./clone/cloner.ts";
import { decodeCloneRequest } from "./clone/request.ts";
import type { Config } from "./config.ts";
import { cloneMethod } from "./grpc/descriptors.ts";
import { reflectionMethods } from "./grpc/reflection.ts";
import { GrpcServer } from "./grpc/server.ts";
import { serveHttp } from "./http.ts";
import { initializeInstance } from "./initialize/first-start.ts";
import { createAgentMetrics } from "./metrics.ts";
import { Session } from "./mysql/session.ts";
import { Probes } from "./probes/probes.ts";
import { keepRotating } from "./rotation/rotation.ts";

/** The only one who may ask for a clone. */
const controllerName = "moco-controller";

export interface AgentOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Default: the slow query log where mysqld of a Pod writes it. */
  readonly slowLog?: string;
  /** Default: mysqld's admin port. */
  readonly mysqldPort?: number;
  /** Told the ports that are listened on, when all are. */
  readonly onListening?: (ports: { grpc: number; probes: number; metrics: number }) => void;
}

/** Runs the agent until the signal is aborted. */
export async function runAgent(options: AgentOptions, signal: AbortSignal): Promise<void> {
  const { config, logger, slowLog = podPaths.slowLog, mysqldPort = ports.mysqlAdmin.number } = options;
  const { passwords, socketPath } = config;
  const clock = systemClock;
  const registry = new Metrics();
  registry.addProcessMetrics();
  const metrics = createAgentMetrics(registry, config.clusterName, config.index);

  const login = (user: string, where: Pick<ConnectOptions, "socketPath" | "host" | "port">) =>
    new Session({
      ...where,
      user,
      password: passwords[user]!,
      connectTimeout: config.connectionTimeout,
      queryTimeout: config.readTimeout,
      maxIdleTime: config.maxIdleTime,
      clock,
    });
  const admin = login(mysqlUsers.admin.name, { socketPath });
  const [healthSession, readySession, rotationSession] = [1, 2, 3].map(() =>
    login(mysqlUsers.agent.name, { host: config.mysqldHost, port: mysqldPort }),
  ) as [Session, Session, Session];

  const probes = new Probes({
    healthSession,
    readySession,
    healthTimeout: config.healthTimeout,
    readyTimeout: config.readyTimeout,
    rules: {
      maxDelay: config.maxDelay,
      queueingWait: config.transactionQueueingWait,
      waitEndsEarly: config.queueingWaitEndsEarly,
    },
    metrics,
    logger,
  });
  const cloner = new Cloner({ socketPath, passwords, metrics, clock, logger, signal });
  const certificates = await readCertificates(config.certificateDirectory);
  const grpc = new GrpcServer({
    address: config.address,
    certificates,
    caller: controllerName,
    methods: {
      [cloneMethod]: async (request) => {
        await cloner.clone(decodeCloneRequest(request));
        return new Uint8Array();
      },
      ...reflectionMethods,
    },
    metrics: registry,
    logger,
  });
  const reload = (): Promise<void> =>
    reloadMysqldCertificate({ admin, timeout: config.readTimeout, clock, logger }, signal);
  watchCertificates(
    { directory: config.certificateDirectory, current: certificates, clock, logger, signal },
    (files) => {
      grpc.useCertificates(files);
      logger.info("took new certificates into use");
      void reload();
    },
  );

  const probeServer = await serveHttp(
    config.probeAddress,
    { "/healthz": (gone) => probes.health(gone), "/readyz": (gone) => probes.readiness(gone) },
    logger,
  );
  const scrape = async () => ({ status: 200, text: await registry.text(), contentType: registry.contentType });
  const metricsServer = await serveHttp(config.metricsAddress, { "/metrics": scrape }, logger);
  const grpcPort = await grpc.listen();
  options.onListening?.({ grpc: grpcPort, probes: probeServer.port, metrics: metricsServer.port });
  logger.info("the agent serves", { pod: config.podName });

  const schedule = parseSchedule(config.logRotationSchedule);
  const rotation = { file: slowLog, schedule, size: config.logRotationSize, session: rotationSession };
  try {
    await Promise.all([
      // The certificate may have changed while there was no agent.
      initializeInstance({ socketPath, passwords, clock, logger }, signal).then(reload),
      keepRotating({ ...rotation, timeout: config.readTimeout, metrics, clock, logger }, signal),
    ]);
  } catch (error) {
    if (!isAbort(error, signal)) throw error;
  } finally {
    await Promise.all([probeServer.close(), metricsServer.close(), grpc.close()]);
    await Promise.all([admin, healthSession, readySession, rotationSession].map((session) => session.close()));
  }
}
