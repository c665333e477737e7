import { namesOf } from "@moco-ts/api";
import { Secrets } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { createCluster } from "../testing/cluster.ts";
import { runCommand } from "../testing/run.ts";

test("passwords of the users for people, alone or as an options file", async () => {
  const { namespace } = await createCluster();
  const print = async (...args: string[]) => (await runCommand(["credential", "test", ...args], { namespace })).output;
  expect(await print()).toBe("for-reading\n");
  expect(await print("-u", "moco-writable")).toBe("for-writing\n");
  expect(await print("--mysql-user=moco-admin", "--format=mycnf")).toBe(
    '[client]\nuser=moco-admin\npassword="for-all"\n',
  );
});

test("a cluster whose passwords are not there yet", async () => {
  const { client, namespace } = await createCluster();
  await client.delete(Secrets, { namespace, name: namesOf({ namespace, name: "test" }).usersSecret });
  expect(await runCommand(["credential", "test"], { namespace })).toMatchObject({
    code: 1,
    output: "",
    errors: expect.stringContaining("have not been made yet"),
  });
});
