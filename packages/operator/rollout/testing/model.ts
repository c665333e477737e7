/** A cluster, its StatefulSet's controller, kubelets and clustering as a model, in which rolling updates are carried out. */
import { decide } from "../decide.ts";
import type { Plan } from "../plan.ts";
import type { Member, Snapshot } from "../snapshot.ts";

interface ModelPod {
  readonly uid: number;
  readonly revision: number;
  state: "starting" | "ready" | "lost" | "failing" | "terminating";
  readySince: number;
  demoting: boolean;
}

/** What happens to a cluster beside its rolling update. Numbers choose one of the pods. */
export type Happening =
  | { readonly kind: "time"; readonly seconds: number }
  /** Kubernetes may see what is to be done and not get to it. */
  | { readonly kind: "kubernetes"; readonly sluggish: boolean }
  | { readonly kind: "clustering" | "operator" | "offline" | "online" | "scale-out" }
  | { readonly kind: "edit"; readonly works: boolean }
  | { readonly kind: "break" | "lose" | "mend" | "delete" | "evict"; readonly pod: number };

export class Model {
  now = 1_000_000;
  replicas: number;
  size: number;
  partition: number;
  readonly pods = new Map<number, ModelPod>();
  primary = 0;
  #revision = 1;
  #current = 1;
  #broken = new Set<number>();
  #observed = false;
  #healthy = false;
  #initialized = false;
  #nextUid = 1;
  /** Ordinals that Kubernetes may take down because of a step, and those that it did and that are not back. */
  readonly #allowed = new Set<number>();
  readonly takenDown = new Set<number>();
  /** Violations of what has to hold, found on the way. */
  readonly violations: string[] = [];

  constructor(replicas: number) {
    this.replicas = replicas;
    this.size = replicas;
    this.partition = replicas;
  }

  happen(happening: Happening): void {
    switch (happening.kind) {
      case "time":
        return this.#pass(happening.seconds);
      case "kubernetes":
        return this.#runStatefulSetController(happening.sluggish);
      case "clustering":
        return this.#runClustering();
      case "operator":
        return void this.operate();
      case "edit":
        this.#revision++;
        if (!happening.works) this.#broken.add(this.#revision);
        return this.#specChanged();
      case "scale-out":
        this.size += 2;
        return this.#scale(this.size);
      case "offline":
        return this.#scale(0);
      case "online":
        return this.#scale(this.size);
      default:
        return this.#disturb(happening.kind, happening.pod);
    }
  }

  /** Everything works from now on: whatever was wrong has been put right. */
  mend(): void {
    if (this.#broken.has(this.#revision)) this.happen({ kind: "edit", works: true });
    this.#scale(this.size);
    for (const [ordinal, pod] of this.pods) if (!this.#broken.has(pod.revision)) this.#makeReady(pod, ordinal);
  }

  /** One round of everybody's work. */
  round(): Plan {
    this.happen({ kind: "kubernetes", sluggish: false });
    this.happen({ kind: "time", seconds: 6 });
    this.happen({ kind: "clustering" });
    return this.operate();
  }

  operate(): Plan {
    const plan = decide(this.snapshot());
    if (plan.kind === "step") this.#step(plan);
    if (plan.kind === "switchover-first") this.pods.get(plan.pod.ordinal)!.demoting = true;
    if (plan.kind === "delete-stuck-pod") {
      const pod = this.pods.get(plan.pod.ordinal)!;
      if (isUp(pod)) this.violations.push(`deleted ${plan.pod.name}, which works`);
      pod.state = "terminating";
    }
    return plan;
  }

  snapshot(): Snapshot {
    const present = [...this.pods].filter(([ordinal]) => ordinal < this.replicas).sort(([one], [other]) => one - other);
    return {
      now: this.now,
      cluster: {
        name: "test",
        stopped: false,
        reconciled: true,
        initialized: this.#initialized,
        reported: true,
        healthy: this.#healthy,
        state: this.#healthy ? "Healthy" : "Incomplete",
        primary: this.primary,
      },
      set: {
        replicas: this.replicas,
        partition: this.partition,
        observed: this.#observed,
        remade: false,
        forced: false,
        updateRevision: String(this.#revision),
        currentRevision: String(this.#current),
      },
      members: present.map(([ordinal, pod]) => memberOf(ordinal, pod)),
    };
  }

  #step({ partition, reason }: Plan & { kind: "step" }): void {
    const replaceable = [...this.pods].filter(
      ([ordinal, pod]) => ordinal >= partition && ordinal < this.replicas && pod.revision !== this.#revision,
    );
    const [target, targeted] = replaceable[0] ?? [-1, undefined];
    // What does not run at all can't be taken down.
    if (this.#initialized && targeted && targeted.state !== "failing") {
      const down = this.#ordinals().filter((ordinal) => ordinal !== target && !isUp(this.pods.get(ordinal)));
      if (replaceable.length > 1) this.violations.push(`several pods at once: ${reason}`);
      if (down.length > 0) this.violations.push(`${down.join()} was down already: ${reason}`);
      if (this.takenDown.size > (this.takenDown.has(target) ? 1 : 0))
        this.violations.push(`one is not back: ${reason}`);
      if (target === this.primary && this.replicas > 1 && isUp(this.pods.get(target))) {
        this.violations.push(`a primary that works: ${reason}`);
      }
      this.#allowed.add(target);
    }
    if (partition >= this.partition) this.violations.push(`not lower than ${this.partition}: ${reason}`);
    this.partition = partition;
    this.#observed = false;
  }

  /** As the webhook and the guard do it. */
  #specChanged(): void {
    this.partition = this.replicas;
    this.#observed = false;
    this.#allowed.clear();
  }

  #scale(replicas: number): void {
    if (this.replicas === replicas) return;
    this.replicas = replicas;
    this.#specChanged();
  }

  #ordinals(): number[] {
    return Array.from({ length: this.replicas }, (_, ordinal) => ordinal);
  }

  #pass(seconds: number): void {
    this.now += seconds * 1000;
    for (const [ordinal, pod] of this.pods) {
      if (pod.state === "terminating") this.pods.delete(ordinal);
      else if (pod.state === "starting") this.#start(ordinal, pod);
    }
  }

  /** A replica is Ready only if there is a primary to replicate. */
  #start(ordinal: number, pod: ModelPod): void {
    const isReplica = ordinal !== this.primary;
    if (isReplica && !isUp(this.pods.get(this.primary))) return;
    if (this.#broken.has(pod.revision)) pod.state = "failing";
    else this.#makeReady(pod, ordinal);
  }

  #makeReady(pod: ModelPod, ordinal: number): void {
    if (pod.state === "ready" || pod.state === "terminating") return;
    pod.state = "ready";
    pod.readySince = this.now;
    this.takenDown.delete(ordinal);
  }

  #runStatefulSetController(sluggish: boolean): void {
    this.#observed = true;
    for (const ordinal of this.#ordinals()) {
      const revision = ordinal < this.partition ? this.#current : this.#revision;
      if (!this.pods.has(ordinal)) this.#create(ordinal, revision);
    }
    for (const [ordinal, pod] of this.pods) if (ordinal >= this.replicas) pod.state = "terminating";
    const members = this.#ordinals().map((ordinal) => [ordinal, this.pods.get(ordinal)!] as const);
    if (members.every(([, pod]) => pod.revision === this.#revision && isUp(pod))) this.#current = this.#revision;
    if (sluggish) return;
    for (const [ordinal, pod] of members.toReversed()) {
      if (ordinal < this.partition) return;
      if (pod.revision !== this.#revision && pod.state !== "terminating") {
        if (this.#allowed.has(ordinal)) this.takenDown.add(ordinal);
        pod.state = "terminating";
        return;
      }
      if (!isUp(pod)) return;
    }
  }

  #create(ordinal: number, revision: number): void {
    const uid = this.#nextUid++;
    this.pods.set(ordinal, { uid, revision, state: "starting", readySince: 0, demoting: false });
  }

  /** Its word may be old: it looks only now and then. */
  #runClustering(): void {
    const pods = this.#ordinals().map((ordinal) => this.pods.get(ordinal));
    const up = pods.filter(isUp).length;
    if (this.replicas > 0 && up > this.replicas / 2) this.#initialized = true;
    const primary = this.pods.get(this.primary);
    const isLost = this.#initialized && !isUp(primary) && primary?.state !== "starting";
    if (primary?.demoting || isLost) {
      // A mysqld that runs can be promoted, Ready or not.
      const states = isLost ? ["ready", "starting"] : ["ready"];
      const candidates = this.#ordinals().filter(
        (each) => each !== this.primary && states.includes(this.pods.get(each)?.state ?? ""),
      );
      const updated = candidates.find((each) => this.pods.get(each)!.revision === this.#revision);
      this.primary = updated ?? candidates[0] ?? this.primary;
      if (primary) primary.demoting = false;
    }
    this.#healthy = this.replicas > 0 && up === this.replicas;
  }

  #disturb(kind: "break" | "lose" | "mend" | "delete" | "evict", number: number): void {
    const ordinals = [...this.pods.keys()];
    const ordinal = ordinals[number % Math.max(ordinals.length, 1)];
    const pod = ordinal === undefined ? undefined : this.pods.get(ordinal);
    if (pod === undefined) return;
    if (kind === "delete") pod.state = "terminating";
    else if (kind === "evict") this.pods.delete(ordinal!);
    else if (pod.state === "terminating") return;
    else if (kind === "break") pod.state = "failing";
    else if (kind === "lose" && pod.state === "ready") pod.state = "lost";
    else if (kind === "mend" && !this.#broken.has(pod.revision)) this.#makeReady(pod, ordinal!);
  }
}

function isUp(pod: ModelPod | undefined): boolean {
  return pod?.state === "ready";
}

function memberOf(ordinal: number, pod: ModelPod): Member {
  return {
    ordinal,
    name: `moco-test-${ordinal}`,
    uid: String(pod.uid),
    revision: String(pod.revision),
    terminating: pod.state === "terminating",
    readySince: pod.state === "ready" ? pod.readySince : undefined,
    lostReadiness: pod.state === "lost",
    running: pod.state !== "failing",
    problem: pod.state === "failing" ? "it fails" : undefined,
    protected: false,
    demoting: pod.demoting,
  };
}
