import type { GtidSet } from "../gtidset/gtidset.ts";
import type { InstanceState } from "./state.ts";

/** Where a replica gets its transactions from. */
export interface ReplicationSource {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** PEM of the authority of the source's certificate as a file that mysqld can read; undefined: no TLS. */
  readonly authorityFile?: string;
}

/** What was found on an instance after clients were cut off. */
export interface Cut {
  /**
   * True if no session of a client can be told of a commit any more, and nobody can begin one: it is read_only and
   * super_read_only. That can't be had while commits hang for acknowledgements that don't come. Their clients get no
   * answer all the same, and `requireAcknowledgements` may let them go: it looks for itself.
   */
  readonly complete: boolean;
  /** Read after the cut, twice with the same result. Undefined if it is not complete. */
  readonly executed: GtidSet | undefined;
  /** What stands in the way. */
  readonly problem: string | undefined;
}

/**
 * Everything that the operator does to an instance. Each call is carried out on the server with this `server_uuid` or
 * rejects: an address may have got another owner. Calls have deadlines of their own and never wait for longer.
 */
export interface Instance {
  observe(signal: AbortSignal): Promise<InstanceState>;

  /**
   * Cuts clients off in the order of safety rule 1: super_read_only while replicas are attached, so that waits end by
   * real acknowledgements; then every client's session is killed; offline_mode only if sessions still wait. `patience`:
   * milliseconds for transactions under way before sessions are killed. Never rejects for a session that hangs: it says
   * that the cut is not complete.
   */
  cutOff(uuid: string, options: { readonly patience: number }, signal: AbortSignal): Promise<Cut>;

  /**
   * Makes it writable if its commits wait for so many acknowledgements. Holds the lock by which process 1 says that it is
   * ending mysqld, and rejects if it can't be had.
   */
  open(uuid: string, acknowledgements: number, signal: AbortSignal): Promise<void>;

  /** Lets replicas and clients connect again after a cut that needed offline_mode. */
  leaveOfflineMode(uuid: string, signal: AbortSignal): Promise<void>;

  /** Waits for so many acknowledgements from now on, without limit and also while none is attached. 0: does not wait. */
  requireAcknowledgements(uuid: string, count: number, signal: AbortSignal): Promise<void>;

  /** Whether it acknowledges, from its next connection to a source on. */
  acknowledge(uuid: string, enabled: boolean, signal: AbortSignal): Promise<void>;

  /** Gives it a source. Only for an instance without one: everything in a relay log is lost. */
  attach(uuid: string, source: ReplicationSource, signal: AbortSignal): Promise<void>;

  /** Another source, keeping the relay log. The receiver must be stopped and the applier running, else it rejects. */
  repoint(uuid: string, source: ReplicationSource, signal: AbortSignal): Promise<void>;

  /** Receiver and applier at once: mysqld may restart between two statements. Whichever runs already is left alone. */
  startReplica(uuid: string, signal: AbortSignal): Promise<void>;
  startReceiver(uuid: string, signal: AbortSignal): Promise<void>;
  stopReceiver(uuid: string, signal: AbortSignal): Promise<void>;
  startApplier(uuid: string, signal: AbortSignal): Promise<void>;

  /** Ends being a replica. Rejects unless all that was retrieved has been executed. */
  detach(uuid: string, signal: AbortSignal): Promise<void>;

  /** True as soon as it has executed these; false if it has not when the time is over. */
  hasExecuted(uuid: string, wanted: GtidSet, milliseconds: number, signal: AbortSignal): Promise<boolean>;

  /** Commits an empty transaction under the reserved server_uuid, so that a wait for an acknowledgement that was sent before it could count ends. */
  nudge(uuid: string, signal: AbortSignal): Promise<void>;

  /** Settings without which rules of safety do not hold; idempotent. */
  enforceSettings(uuid: string, signal: AbortSignal): Promise<void>;

  /** Forgets all data's history so that it may be cloned into: no source, no GTIDs, still super_read_only. */
  makeEmpty(uuid: string, signal: AbortSignal): Promise<void>;
}

/** GTIDs of empty transactions that the operator commits have this server_uuid. They are never errant. */
export const reservedUuid = "6d6f636f-0000-4000-8000-000000000000";
