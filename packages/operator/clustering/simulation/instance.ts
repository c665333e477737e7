/** An instance as the operator sees it, with the model instead of mysqld behind it: statement by statement. */
import { sleep } from "@moco-ts/base";
import type { Cut, GtidSet, Instance, InstanceState, ReplicationSource } from "@moco-ts/mysql";
import { covers, noRow, type GtidSets } from "./gtids.ts";
import type { Invariants } from "./invariants.ts";
import { look } from "./look.ts";
import type { Mysqld, Session } from "./mysqld.ts";
import { ordinalOf } from "./objects.ts";
import type { OperatorProcess } from "./operator-process.ts";
import type { Replication } from "./replication.ts";
import type { Scheduler } from "./scheduler.ts";
import type { StatementOptions, Wire } from "./wire.ts";

export interface InstanceSurroundings {
  readonly scheduler: Scheduler;
  readonly operator: OperatorProcess;
  readonly wire: Wire;
  readonly replication: Replication;
  readonly gtids: GtidSets;
  readonly invariants: Invariants;
}

const lookTimeout = 1_000;
const changeTimeout = 5_000;
/** Milliseconds for sessions that were killed to end. */
const killLimit = 3_000;
const hangLimit = 300;
/** To drop what users have. */
const emptyingTime = 2_000;

export class SimulatedInstance implements Instance {
  readonly #world: InstanceSurroundings;
  readonly #address: string;

  constructor(world: InstanceSurroundings, address: string) {
    this.#world = world;
    this.#address = address;
  }

  async observe(signal: AbortSignal): Promise<InstanceState> {
    const { wire, replication, gtids, operator } = this.#world;
    const options = { deadline: lookTimeout, signal };
    const state = await wire.ask(this.#address, options, (mysqld) =>
      look(mysqld, replication, gtids, operator.clock.monotonic()),
    );
    return state;
  }

  async cutOff(uuid: string, { patience }: { readonly patience: number }, signal: AbortSignal): Promise<Cut> {
    const { clock } = this.#world.operator;
    await this.#change(uuid, signal, (mysqld) => void mysqld.becomeReadOnly());
    await this.#wait(uuid, signal, patience, (mysqld) => !mysqld.becomingReadOnly);
    const start = clock.monotonic();
    for (let isOffline = false; ;) {
      const { waiting, isClosed } = await this.#change(uuid, signal, (mysqld) => {
        mysqld.killClients();
        return { waiting: mysqld.waitingClients, isClosed: mysqld.superReadOnly && mysqld.readOnly };
      });
      if (isClosed && waiting === 0) {
        const first = await this.#executed(uuid, signal);
        const second = await this.#executed(uuid, signal);
        if (first === second) return { complete: true, executed: second, problem: undefined };
      }
      // Sessions that were killed and hang in their commit may hang for ever.
      if (clock.monotonic() - start > (waiting === 0 ? hangLimit : killLimit)) break;
      if (waiting > 0 && !isOffline) {
        isOffline = true;
        await this.#change(uuid, signal, (mysqld) => mysqld.enterOfflineMode());
      }
      await sleep(clock, 20, signal);
    }
    return { complete: false, executed: undefined, problem: "clients still wait for acknowledgements" };
  }

  open(uuid: string, acknowledgements: number, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, (mysqld) => {
      if (mysqld.stopping) throw new Error("mysqld is being ended");
      if (mysqld.acknowledgements < acknowledgements) throw new Error("it waits for too few acknowledgements");
      this.#world.invariants.opening(mysqld);
      mysqld.open();
    });
  }

  leaveOfflineMode(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, (mysqld) => void (mysqld.offlineMode = false));
  }

  async requireAcknowledgements(uuid: string, count: number, signal: AbortSignal): Promise<void> {
    const before = await this.#change(uuid, signal, (mysqld) => {
      if (count >= mysqld.acknowledgements) return mysqld.acknowledgements;
      if (!mysqld.superReadOnly) throw new Error("clients must be cut off first");
      if (!mysqld.readOnly) mysqld.killClients();
      return mysqld.acknowledgements;
    });
    if (count < before) {
      await this.#change(uuid, signal, (mysqld) => {
        if (mysqld.waitingClients > 0) throw new Error("clients must be cut off first");
        mysqld.requireAcknowledgements(0);
      });
    }
    if (count > 0) await this.#change(uuid, signal, (mysqld) => mysqld.requireAcknowledgements(count));
  }

  acknowledge(uuid: string, enabled: boolean, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, (mysqld) => void (mysqld.acknowledges = enabled));
  }

  async attach(uuid: string, source: ReplicationSource, signal: AbortSignal): Promise<void> {
    const { replication } = this.#world;
    await this.#change(uuid, signal, (mysqld) => {
      if (mysqld.disk.channel === undefined) return;
      assertExecuted(mysqld);
      this.#stopReplica(mysqld);
      assertExecuted(mysqld);
    });
    await this.#change(uuid, signal, (mysqld) => {
      replication.stopReceiver(mysqld);
      this.#dropRelay(mysqld);
      this.#changeSource(mysqld, source);
    });
  }

  async repoint(uuid: string, source: ReplicationSource, signal: AbortSignal): Promise<void> {
    await this.#change(uuid, signal, (mysqld) => {
      if (mysqld.disk.channel === undefined) throw new Error("it has no source that could be exchanged");
      if (mysqld.receiver !== "no") throw new Error("its receiver must be stopped first");
      if (!mysqld.applying) throw new Error("its relay log would be lost: its applier is stopped");
    });
    await this.#change(uuid, signal, (mysqld) => {
      if (mysqld.receiver !== "no") throw new Error("its receiver must be stopped first");
      if (!mysqld.applying) this.#dropRelay(mysqld);
      this.#changeSource(mysqld, source);
    });
  }

  startReplica(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, (mysqld) => {
      this.#startReceiver(mysqld);
      this.#world.replication.startApplier(mysqld);
    });
  }

  startReceiver(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, (mysqld) => this.#startReceiver(mysqld));
  }

  stopReceiver(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, (mysqld) => this.#world.replication.stopReceiver(mysqld));
  }

  startApplier(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, (mysqld) => {
      if (mysqld.disk.channel === undefined) throw new Error("it is no replica");
      this.#world.replication.startApplier(mysqld);
    });
  }

  async detach(uuid: string, signal: AbortSignal): Promise<void> {
    await this.stopReceiver(uuid, signal);
    await this.#change(uuid, signal, assertExecuted);
    await this.#change(uuid, signal, (mysqld) => {
      this.#stopReplica(mysqld);
      this.#dropRelay(mysqld);
      mysqld.disk.channel = undefined;
      this.#world.replication.forget(mysqld);
    });
  }

  hasExecuted(uuid: string, wanted: GtidSet, milliseconds: number, signal: AbortSignal): Promise<boolean> {
    const { gtids } = this.#world;
    return this.#wait(uuid, signal, milliseconds, ({ disk }) => gtids.of(disk.executed).contains(wanted));
  }

  nudge(uuid: string, signal: AbortSignal): Promise<void> {
    const { wire, operator } = this.#world;
    return wire.change(this.#address, uuid, { deadline: changeTimeout, signal }, (mysqld, reply) => {
      const session: Session = {
        name: operator.name,
        privileged: true,
        killed: false,
        answer: (outcome) => (outcome === "ok" ? reply.answer(undefined) : reply.refuse(new Error("killed"))),
      };
      mysqld.sessions.add(session);
      mysqld.nudge(session, noRow);
    });
  }

  enforceSettings(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, (mysqld) => void (mysqld.enforced = true));
  }

  async makeEmpty(uuid: string, signal: AbortSignal): Promise<void> {
    await this.#change(uuid, signal, (mysqld) => {
      if (!mysqld.readOnly || !mysqld.superReadOnly) throw new Error("an instance that can be written is not emptied");
      this.#stopReplica(mysqld);
    });
    await sleep(this.#world.operator.clock, emptyingTime, signal);
    await this.#change(uuid, signal, (mysqld) => {
      mysqld.disk.makeEmpty();
      this.#world.invariants.lessened();
    });
  }

  #dropRelay(mysqld: Mysqld): void {
    this.#world.invariants.droppingRelay(mysqld);
    mysqld.disk.dropRelay();
    this.#world.invariants.lessened();
  }

  #changeSource({ disk }: Mysqld, source: ReplicationSource): void {
    disk.channel = { sourceOrdinal: ordinalOf(source.host), attentive: true, sourceUuid: undefined };
  }

  #startReceiver(mysqld: Mysqld): void {
    if (mysqld.disk.channel === undefined) throw new Error("it is no replica");
    this.#world.invariants.startingReceiver(mysqld);
    this.#world.replication.startReceiver(mysqld);
  }

  #stopReplica(mysqld: Mysqld): void {
    this.#world.replication.stopReceiver(mysqld);
    mysqld.applying = false;
  }

  #executed(uuid: string, signal: AbortSignal): Promise<GtidSet> {
    return this.#change(uuid, signal, ({ disk }) => this.#world.gtids.of(disk.executed));
  }

  #change<T>(uuid: string, signal: AbortSignal, execute: (mysqld: Mysqld) => T): Promise<T> {
    const options: StatementOptions = { deadline: changeTimeout, signal };
    return this.#world.wire.change<T>(this.#address, uuid, options, (mysqld, reply) => reply.answer(execute(mysqld)));
  }

  /** True as soon as it is so; false if it is not when the time is over. */
  #wait(
    uuid: string,
    signal: AbortSignal,
    milliseconds: number,
    isDone: (mysqld: Mysqld) => boolean,
  ): Promise<boolean> {
    const { wire, operator } = this.#world;
    const options = { deadline: milliseconds + changeTimeout, signal };
    return wire.change<boolean>(this.#address, uuid, options, (mysqld, reply) => {
      const stop = mysqld.waitFor({
        isDone: () => isDone(mysqld),
        done: (outcome) =>
          outcome === "done" ? reply.answer(true) : reply.refuse(new Error("the connection was lost")),
      });
      operator.clock.schedule(milliseconds, () => {
        stop();
        reply.answer(false);
      });
    });
  }
}

function assertExecuted({ disk }: Mysqld): void {
  if (!covers(disk.executed, disk.received)) throw new Error("transactions would be lost that are not executed yet");
}
