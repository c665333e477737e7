import type { Mysqld, Session } from "./mysqld.ts";
import type { World } from "./world.ts";

/** A program that writes rows to whoever is the primary by its label, and remembers which it was told are committed. */
export class Client {
  readonly #world: World;
  readonly #name: string;
  readonly #isPatient: boolean;
  #connection: Mysqld | undefined;
  #isBusy = false;
  #isStopped = false;
  /** When its last row was acknowledged. */
  lastSuccess = -1;

  constructor(world: World, name: string, isPatient: boolean) {
    this.#world = world;
    this.#isPatient = isPatient;
    this.#name = name;
    this.#next();
  }

  stop(): void {
    this.#isStopped = true;
  }

  #next(): void {
    const { scheduler, random } = this.#world;
    // Sometimes one row right after the other.
    const pause = random.chance(0.2) ? random.between(1, 20) : random.between(200, 1500);
    scheduler.after(pause, () => {
      if (this.#isStopped) return;
      if (!this.#isBusy) this.#write();
      this.#next();
    });
  }

  #write(): void {
    const { scheduler, network, random } = this.#world;
    if (!this.#connection?.alive) this.#connection = this.#find();
    const mysqld = this.#connection;
    if (mysqld === undefined) return;
    this.#isBusy = true;
    const row = this.#world.nextRow();
    const session: Session = {
      name: this.#name,
      privileged: false,
      killed: false,
      answer: (outcome) => {
        mysqld.sessions.delete(session);
        end(outcome === "ok");
      },
    };
    let isOver = false;
    const end = (isCommitted: boolean): void => {
      if (isOver) return;
      isOver = true;
      cancel();
      this.#isBusy = false;
      if (isCommitted) this.#acknowledged(mysqld, row);
      else this.#connection = undefined;
    };
    const cancel = scheduler.after(this.#isPatient ? Infinity : random.between(3_000, 15_000), () => end(false));
    const arrive = (): void => {
      if (isOver) return;
      if (mysqld.frozen && mysqld.alive) return this.#world.onDisturbance(arrive);
      if (!mysqld.alive || mysqld.refusing || mysqld.offlineMode) return end(false);
      mysqld.sessions.add(session);
      try {
        mysqld.write(session, row);
      } catch {
        session.answer("failed");
      }
    };
    scheduler.after(network.delay(), arrive);
  }

  #find(): Mysqld | undefined {
    const { api, machines, random } = this.#world;
    const primaries = api.objects.pods.filter((pod) => pod?.role === "primary" && pod.ready);
    return primaries.length === 0 ? undefined : machines.at(random.pick(primaries)!.address ?? "");
  }

  #acknowledged(mysqld: Mysqld, row: number): void {
    const { invariants, story, scheduler } = this.#world;
    this.lastSuccess = scheduler.now;
    // Nobody can keep a mysqld without a process 1 of its own from saying so when it is shut down.
    const isWrong = mysqld.tampered || (mysqld.version === 1 && mysqld.refusing);
    story.tell(
      this.#name,
      () => `${isWrong ? "is wrongly told" : "is told"} that row ${row} is committed by ${mysqld.name}`,
    );
    if (!isWrong) invariants.acknowledging(mysqld, row);
  }
}
