import { once } from "node:events";
import { SimulatedClock, systemClock } from "@moco-ts/base";
import { ConnectionError, KubeError, type ExecOptions, type PodStreams } from "@moco-ts/kube";
import { expect, test, vi } from "vitest";
import { InstanceSession } from "./session.ts";

const pod = { namespace: "default", name: "moco-test-0" };
const never = new AbortController().signal;
const uuid = "00000000-0000-4000-8000-000000000001";
const report = { version: "8.4.8", uuid, serverId: 1, executed: "", purged: "", readOnly: 0 };
const reported = `${JSON.stringify({ report })}\n`;

/** A mysql that is played by `client`, and how often it was started. */
function startedBy(client: (options: ExecOptions) => Promise<number>) {
  const exec = vi.fn<PodStreams["exec"]>((_pod, _container, _command, options) => client(options));
  const streams: PodStreams = {
    exec,
    logs: () => Promise.reject(new Error("not asked for")) as never,
    close: async () => undefined,
  };
  return { exec, session: new InstanceSession({ streams, clock: systemClock, pod }) };
}

/** Answers every question by `answer`, given the number at its end, until it is stopped. */
function answering(answer: (number: string, options: ExecOptions) => void) {
  return async (options: ExecOptions): Promise<number> => {
    options.stdin!.on("data", (text: Buffer) => answer(/'end', (\d+)/.exec(text.toString())![1]!, options));
    await once(options.signal, "abort");
    throw options.signal.reason as Error;
  };
}

test("questions are asked over one client, in the container of mysqld", async () => {
  const { exec, session } = startedBy(
    answering((number, { stdout }) =>
      stdout!.write(`${reported}{"clone": {"state": "Completed"}}\n{"end": ${number}}\n`),
    ),
  );
  expect(await session.ask(never)).toMatchObject({ uuid, clone: { state: "Completed" } });
  expect(await session.ask(never)).toMatchObject({ uuid });
  expect(exec).toHaveBeenCalledOnce();
  const [, container, command] = exec.mock.calls[0]!;
  expect([container, ...command.slice(0, 2)]).toEqual([
    "mysqld",
    "mysql",
    "--defaults-extra-file=/mysql-credentials/moco-readonly-my.cnf",
  ]);
  session.close();
});

test("answers may come in pieces, and a table that is missing is no error", async () => {
  const { session } = startedBy(
    answering((number, { stdout, stderr }) => {
      for (const byte of Buffer.from(reported)) stdout!.write(Buffer.from([byte]));
      stderr!.write("ERROR 1146 (42S02) at line 40: Table 'performance_schema.clone_status' doesn't exist\n");
      stdout!.write(`{"end": ${number}}\n`);
    }),
  );
  expect(await session.ask(never)).not.toHaveProperty("clone");
  session.close();
});

test("why mysql could not ask is told in its own words", async () => {
  const { session } = startedBy(async ({ stderr }) => {
    stderr!.write(
      "mysql: [Warning] something\nERROR 2002 (HY000): Can't connect to local MySQL server through socket '/run/mysqld.sock' (2)\n",
    );
    return 1;
  });
  await expect(session.ask(never)).rejects.toThrow(
    /^Can't connect to local MySQL server through socket '\/run\/mysqld.sock' \(2\)$/,
  );
});

test("a question that is refused is told, and the next one starts anew", async () => {
  const { exec, session } = startedBy(
    answering((number, { stdout, stderr }) => {
      stderr!.write("ERROR 1227 (42000) at line 1: Access denied\n");
      stdout!.write(`{"end": ${number}}\n`);
    }),
  );
  await expect(session.ask(never)).rejects.toThrow(/^Access denied$/);
  await expect(session.ask(never)).rejects.toThrow("Access denied");
  expect(exec).toHaveBeenCalledTimes(2);
  session.close();
});

test("who may not run commands is told which right is missing", async () => {
  const forbidden = new KubeError('pods "moco-test-0" is forbidden', { status: 403, reason: "Forbidden" });
  await expect(startedBy(() => Promise.reject(forbidden)).session.ask(never)).rejects.toThrow("create pods/exec");
  const lost = new ConnectionError("exec in moco-test-0 was cut");
  await expect(startedBy(() => Promise.reject(lost)).session.ask(never)).rejects.toThrow("was cut");
});

test("a mysqld that says nothing is given up, and so is its client", async () => {
  const clock = new SimulatedClock();
  const given = vi.fn<() => void>();
  const exec: PodStreams["exec"] = async (_pod, _container, _command, { signal }) => {
    await once(signal, "abort");
    given();
    throw signal.reason as Error;
  };
  const streams = { exec } as PodStreams;
  const session = new InstanceSession({ streams, clock, pod, deadline: 1_000 });
  const outcome = expect(session.ask(never)).rejects.toThrow("mysqld's answer took longer than 1000 ms");
  await clock.advance(1_000);
  await outcome;
  await vi.waitFor(() => expect(given).toHaveBeenCalled());
});
