import { describe, expect, test } from "vitest";
import { snapshot, type Changes } from "../testing/snapshots.ts";
import { decide } from "./decide.ts";

const deaf: Changes = { state: { replica: { receiving: "connecting", heardAgo: 9_000 } } };
const hanging: Changes = { waiting: 6_000, state: { source: { receivers: [] } } };

function plan(primary: Changes, one: Changes, other: Changes, replicas = 3) {
  return decide(snapshot({ replicas, instances: { 0: primary, 1: one, 2: other } }));
}

describe("a primary that the operator can reach, and whose commits hang,", () => {
  test("is replaced when its replicas can't reach it", () => {
    const { state, steps } = plan(hanging, deaf, deaf);
    expect({ state, steps }).toMatchObject({ state: "Failed", steps: [{ kind: "failover" }] });
  });
  test("stays as long as one of them hears it", () => {
    expect(plan(hanging, deaf, {}).steps.map(({ kind }) => kind)).not.toContain("failover");
  });
  test("is replaced when too few of many hear it for any commit", () => {
    const five = (changes: Record<number, Changes>) =>
      decide(snapshot({ replicas: 5, instances: { 0: hanging, ...changes } }));
    const { steps, reason } = five({ 1: deaf, 2: deaf, 3: deaf });
    expect(steps).toMatchObject([{ kind: "failover" }]);
    expect(reason).toContain("only 1 of 4 other instances hears it");
    expect(five({ 1: deaf, 2: deaf }).steps.map(({ kind }) => kind)).not.toContain("failover");
    expect(five({ 1: deaf, 2: { state: null }, 3: { state: null } }).steps).toEqual([]);
  });
  test("stays if too few of them are left to find every acknowledged write", () => {
    expect(plan(hanging, deaf, { state: null })).toMatchObject({ steps: [] });
  });
  test("stays if somebody has stopped them", () => {
    const stopped: Changes = { state: { replica: { receiving: "no", heardAgo: 9_000 } } };
    expect(plan(hanging, stopped, stopped).steps).toEqual([]);
  });
  test("gets some seconds for them to come back", () => {
    expect(plan({ ...hanging, waiting: 3_000 }, deaf, deaf).steps).toEqual([]);
  });
});

describe("a primary that the operator can reach, and on which nobody waits,", () => {
  const idle: Changes = { state: { source: { receivers: [] } } };
  const seeking = (heardAgo: number | undefined, receiveError?: string): Changes => ({
    state: { replica: { receiving: "connecting", heardAgo, receiveError } },
  });
  const network = "error connecting to source - message: Can't connect to MySQL server on 'moco-test-0:3306' (110)";
  test("stays for a while, though its replicas can't reach it", () => {
    const { steps, again } = plan(idle, seeking(9_000, network), seeking(9_000, network));
    expect({ steps, again }).toEqual({ steps: [], again: 500 });
  });
  test("is replaced when the network has kept them from it for long", () => {
    const { steps, reason } = plan(idle, seeking(16_000, network), seeking(16_000, network));
    expect(steps).toMatchObject([{ kind: "failover" }]);
    expect(reason).toContain(
      "replicas have not reached instance 0 for some time, and none of 2 other instances hears it",
    );
  });
  test("is replaced also if they have never heard it, since they were pointed to it when it was cut off", () => {
    const tried = (attempts: number): Changes =>
      seeking(undefined, `This was attempt ${attempts}/86400, with a delay of 1 seconds. Message: ${network}`);
    expect(plan(idle, tried(3), tried(3)).steps).toEqual([]);
    expect(plan(idle, tried(16), tried(16)).steps).toMatchObject([{ kind: "failover" }]);
    const older = seeking(undefined, `${network} - retry-time: 1 retries: 16`);
    expect(plan(idle, older, older).steps).toMatchObject([{ kind: "failover" }]);
  });
  test("stays if something else keeps one of them from it: it would keep it from another one too", () => {
    const denied = "Access denied for user 'moco-repl'";
    expect(plan(idle, seeking(60_000, network), seeking(60_000, denied)).steps).toEqual([]);
    expect(plan(idle, seeking(60_000, network), {}).steps).toEqual([]);
  });
});
