import { annotationKeys, MySQLClusters } from "@moco-ts/api";
import { expect, test } from "vitest";
import { createCluster } from "../testing/cluster.ts";
import { runCommand } from "../testing/run.ts";

const [primary, replica, lost] = ["a", "b", "c"].map(
  (letter) => `${letter.repeat(8)}-0000-0000-0000-${letter.repeat(12)}`,
) as [string, string, string];

async function createVoting() {
  const { client, namespace } = await createCluster();
  const key = { namespace, name: "test" };
  const clustering = {
    primary,
    primaryAddress: "10.0.0.1",
    voters: [primary, replica, lost],
    acknowledgements: 1,
    primaries: [primary],
    deposed: [],
    written: true,
  };
  await client.patch(
    MySQLClusters,
    key,
    { type: "merge", body: { status: { clustering } } },
    { subresource: "status" },
  );
  const ended = async () => (await client.get(MySQLClusters, key)).metadata.annotations?.[annotationKeys.endedServers];
  const forget = (uuid: string, ...flags: string[]) => runCommand(["forget", "test", uuid, ...flags], { namespace });
  return { namespace, ended, forget };
}

test("a person gives its word for servers that are lost", async () => {
  const { namespace, ended, forget } = await createVoting();
  expect(await forget(lost.toUpperCase(), "--yes")).toEqual({
    code: 0,
    output: `the operator will do without the server ${lost} of MySQLCluster "${namespace}/test"\n`,
    errors: "",
  });
  expect(await ended()).toBe(lost);
  expect(await forget(replica, "--yes")).toMatchObject({ code: 0 });
  expect(await ended()).toBe(`${lost},${replica}`);
});

test("the primary, servers that nobody knows, and whoever is not sure", async () => {
  const { namespace, ended, forget } = await createVoting();
  expect(await forget(primary, "--yes")).toMatchObject({ code: 1, errors: expect.stringContaining("is the primary") });
  const unknown = await forget("dddddddd-0000-0000-0000-dddddddddddd", "--yes");
  expect(unknown).toMatchObject({ code: 1, errors: expect.stringContaining(`There are: ${replica}, ${lost}.`) });
  expect(await forget(lost)).toMatchObject({ code: 2, errors: expect.stringContaining("Add --yes") });
  const unsure = await runCommand(["forget", "test", lost], { namespace, typed: "\n" });
  expect(unsure).toMatchObject({ code: 1, output: expect.stringContaining("writes that it acknowledges can be lost") });
  expect(await ended()).toBeUndefined();
});
