/** Nodes, kubelets and the StatefulSet: where mysqld processes come from, and how they end. */
import type { ApiServer } from "./api-server.ts";
import { Disk } from "./disk.ts";
import { Mysqld, type PodVersion, type Watcher } from "./mysqld.ts";
import type { Random } from "./random.ts";
import type { Replication } from "./replication.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Story } from "./story.ts";

interface Surroundings {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly story: Story;
  readonly api: ApiServer;
  readonly replication: Replication;
  readonly watcher: Watcher;
  readonly version: PodVersion;
  /** Something about processes has changed. */
  disturbed(): void;
}

const preStopLimit = 20_000;
const acknowledgeLimit = 10_000;
const cutLimit = 30_000;

export class Machines {
  readonly #world: Surroundings;
  readonly #byAddress = new Map<string, Mysqld>();
  /** By ordinal: what a new Pod finds. */
  readonly #disks: (Disk | undefined)[] = [];
  readonly allDisks: Disk[] = [];
  /** Of disks that were lost. Where a Pod was deleted by force, nobody can prove that its process is no more. */
  readonly lostUuids = new Set<string>();
  #processes: readonly Mysqld[] = [];
  #origins = 0;
  #pods = 0;
  #containers = 0;

  constructor(world: Surroundings) {
    this.#world = world;
  }

  /** Those that are alive. */
  get processes(): readonly Mysqld[] {
    return this.#processes;
  }

  at(address: string): Mysqld | undefined {
    const mysqld = this.#byAddress.get(address);
    return mysqld?.alive ? mysqld : undefined;
  }

  /** The one that the Pod with this ordinal runs. */
  of(ordinal: number): Mysqld | undefined {
    const address = this.#world.api.objects.pods[ordinal]?.address;
    return address === undefined ? undefined : this.at(address);
  }

  /** Makes every Pod that should be there. */
  reconcile(): void {
    const { api } = this.#world;
    for (let ordinal = 0; ordinal < api.objects.replicas; ordinal++) {
      if (api.objects.pods[ordinal] === undefined) this.createPod(ordinal);
    }
  }

  createPod(ordinal: number): void {
    const { scheduler, random } = this.#world;
    const { uid, address } = this.#createPod(ordinal);
    scheduler.after(random.between(200, 1200), () => this.#start(ordinal, uid, address));
  }

  /** Puts a process where it is, without waiting for its start: how a simulation begins. */
  place(ordinal: number): Mysqld {
    return this.#run(ordinal, this.#createPod(ordinal).address);
  }

  #createPod(ordinal: number): { uid: string; address: string } {
    const { api, story } = this.#world;
    const uid = String(++this.#pods);
    const address = `10.0.${ordinal}.${this.#pods}`;
    api.createPod(ordinal, {
      uid,
      address,
      ready: false,
      terminating: false,
      role: undefined,
      updated: true,
      demote: false,
      demoteTo: undefined,
      reclone: false,
      preventDelete: false,
      container: undefined,
      previous: undefined,
    });
    story.tell("kubelet", `Pod ${ordinal} is made at ${address}`);
    return { uid, address };
  }

  /** Nobody will find this disk again after the process that has it now. The next begins with an empty one. */
  loseDisk(ordinal: number): void {
    const disk = this.#disks[ordinal];
    if (disk) this.lostUuids.add(disk.uuid);
    this.#disks[ordinal] = undefined;
  }

  /** SIGKILL; the kubelet starts it again. */
  kill(mysqld: Mysqld, restartAfter = this.#world.random.between(200, 3000)): void {
    if (!mysqld.alive) return;
    this.#end(mysqld);
    this.#restart(mysqld, restartAfter);
  }

  losePower(mysqld: Mysqld): void {
    if (!mysqld.alive) return;
    this.#end(mysqld);
    mysqld.disk.losePower();
    this.#restart(mysqld, this.#world.random.between(3000, 8000));
  }

  /**
   * The end of a clone. In version 2 process 1 starts mysqld again in the same container, and makes another server of it:
   * the GTIDs of what is gone must not be given again.
   */
  replaceData(mysqld: Mysqld, donor: Disk): void {
    const { ordinal, version, container } = mysqld;
    const disk = version === 2 ? this.#newDisk(ordinal) : mysqld.disk;
    disk.copy(donor);
    disk.clone = "Completed";
    if (this.#disks[ordinal] === mysqld.disk) this.#disks[ordinal] = disk;
    this.#end(mysqld, version === 2);
    this.#restart(mysqld, this.#world.random.between(100, 800), version === 2 ? container : undefined);
  }

  /** SIGTERM to process 1 of the container. */
  terminate(mysqld: Mysqld, ended: () => void): void {
    const { scheduler, random, story, watcher } = this.#world;
    if (!mysqld.alive) return ended();
    story.tell(mysqld.name, `gets SIGTERM with ${mysqld.waitingClients} clients waiting`);
    const finish = (): void => {
      if (mysqld.alive) this.#end(mysqld);
      ended();
    };
    const shutDown = (): void => {
      mysqld.shutDown();
      this.#world.disturbed();
      scheduler.after(random.between(300, 3000), finish);
    };
    if (mysqld.version === 1) return shutDown();
    mysqld.stopping = true;
    if (!mysqld.frozen) mysqld.becomeReadOnly();
    const started = watcher.now();
    const cut = (): void => {
      if (!mysqld.alive) return ended();
      const elapsed = watcher.now() - started;
      if (elapsed >= cutLimit) return finish();
      if (mysqld.frozen) return void scheduler.after(500, cut);
      // Frozen until now: it could not be asked before.
      if (!mysqld.superReadOnly) mysqld.becomeReadOnly();
      const hasReplicas = this.#world.replication.receivers(mysqld).length > 0;
      if (!mysqld.readOnly && hasReplicas && elapsed < acknowledgeLimit) return void scheduler.after(100, cut);
      mysqld.killClients();
      shutDown();
    };
    cut();
  }

  /** The kubelet starts a container again that has ended. */
  revive(mysqld: Mysqld): void {
    this.#restart(mysqld, this.#world.random.between(200, 3000));
  }

  /** The node is gone with its disk, and everybody knows: the Pod is made anew elsewhere. */
  destroy(mysqld: Mysqld): void {
    const pod = this.#world.api.objects.pods[mysqld.ordinal];
    this.#end(mysqld);
    if (pod?.address === mysqld.address) this.#forget(mysqld.ordinal, pod.uid);
  }

  /** As by `kubectl delete pod`. */
  deletePod(ordinal: number): void {
    const { api, scheduler, random, watcher, story } = this.#world;
    const pod = api.objects.pods[ordinal];
    if (pod === undefined || pod.terminating) return;
    story.tell("kubelet", `Pod ${ordinal} is being deleted`);
    api.changePod(ordinal, { terminating: true });
    const started = watcher.now();
    // The kubelet's last word on the container comes before the object is gone.
    const gone = (): void => {
      scheduler.after(random.between(1000, 1500), () => this.#forget(ordinal, pod.uid));
    };
    const preStop = (): void => {
      const mysqld = this.at(pod.address ?? "");
      if (mysqld === undefined) return gone();
      const isOver = watcher.now() - started >= preStopLimit;
      if (isOver || (mysqld.readOnly && !mysqld.frozen && mysqld.version === 2)) return this.terminate(mysqld, gone);
      scheduler.after(200, preStop);
    };
    scheduler.after(random.between(0, 200), preStop);
  }

  /** As by `kubectl delete pod --force`: the object is gone at once, the process only when its kubelet gets to it. */
  forceDeletePod(ordinal: number, lingers: number): void {
    const { api, scheduler, story } = this.#world;
    const pod = api.objects.pods[ordinal];
    if (pod === undefined) return;
    story.tell("kubelet", `Pod ${ordinal} is deleted by force; its mysqld lives on for ${lingers} ms`);
    const mysqld = this.at(pod.address ?? "");
    this.#forget(ordinal, pod.uid);
    if (mysqld) scheduler.after(lingers, () => this.terminate(mysqld, () => undefined));
  }

  /** What probes find. */
  updateReadiness(): void {
    const { api } = this.#world;
    for (const [ordinal, pod] of api.objects.pods.entries()) {
      if (pod === undefined) continue;
      const mysqld = this.at(pod.address ?? "");
      const isServing =
        mysqld !== undefined && !mysqld.frozen && !mysqld.refusing && mysqld.disk.clone !== "In Progress";
      const isReplicating = mysqld?.receiver === "yes" && mysqld.applying;
      api.changePod(ordinal, { ready: isServing && (!mysqld.readOnly || isReplicating) });
    }
  }

  #forget(ordinal: number, uid: string): void {
    const { api, scheduler, random } = this.#world;
    if (api.objects.pods[ordinal]?.uid !== uid) return;
    api.removePod(ordinal);
    scheduler.after(random.between(100, 1500), () => this.reconcile());
  }

  #start(ordinal: number, uid: string, address: string): void {
    const { api, scheduler } = this.#world;
    const pod = api.objects.pods[ordinal];
    if (pod?.uid !== uid || pod.terminating) return;
    const disk = this.#disks[ordinal];
    // Two processes never share a disk: the lock of the first keeps the second waiting.
    if (disk && this.processes.some((mysqld) => mysqld.disk === disk)) {
      scheduler.after(500, () => this.#start(ordinal, uid, address));
      return;
    }
    this.#run(ordinal, address);
  }

  #run(ordinal: number, address: string, container = String(++this.#containers)): Mysqld {
    const { api, story, version, watcher } = this.#world;
    const disk = (this.#disks[ordinal] ??= this.#newDisk(ordinal));
    if (disk.clone === "In Progress") disk.clone = "Failed";
    const mysqld = new Mysqld(disk, { ordinal, address, version, container }, watcher);
    this.#byAddress.set(address, mysqld);
    this.#processes = [...this.#processes, mysqld];
    story.tell(mysqld.name, `starts at ${address}`);
    if (api.objects.pods[ordinal]?.container?.id !== container) api.containerStarted(ordinal, container);
    this.#world.disturbed();
    return mysqld;
  }

  #newDisk(ordinal: number): Disk {
    const disk = new Disk(++this.#origins, 1000 + ordinal);
    this.allDisks.push(disk);
    return disk;
  }

  #end(mysqld: Mysqld, staysContainer = false): void {
    const { api, scheduler, random, story } = this.#world;
    story.tell(mysqld.name, "has ended");
    mysqld.end();
    this.#processes = this.#processes.filter((each) => each !== mysqld);
    const ended = scheduler.now;
    if (!this.#disks.includes(mysqld.disk)) mysqld.disk.lostAt = ended;
    this.#world.disturbed();
    if (staysContainer) return;
    const report = (): void => api.containerEnded(mysqld.ordinal, mysqld.container, ended);
    scheduler.after(random.between(50, 1000), report);
  }

  #restart(mysqld: Mysqld, after: number, container?: string): void {
    const { api, scheduler } = this.#world;
    const { ordinal, address } = mysqld;
    const disk = this.#disks[ordinal];
    scheduler.after(after, () => {
      const pod = api.objects.pods[ordinal];
      if (pod?.address !== address || pod.terminating || this.#disks[ordinal] !== disk || this.at(address)) return;
      this.#run(ordinal, address, container);
    });
  }
}
