import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildImages, down, imagesFolder, loadImages, up, type Cluster } from "@moco-ts/local-kubernetes";

const name = "ground-images";
let cluster: Cluster;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "images-"));
  cluster = await up({ name });
  const images = await buildImages({ names: ["base", "mysql", "mysql-loose"] });
  await loadImages(
    cluster.nodes,
    images.map(({ reference }) => reference),
  );
});

afterAll(async () => {
  await down(name);
  await rm(folder, { recursive: true });
});

/** Runs a program in a pod to its end and returns what it printed and its exit code. */
async function runPod(pod: string, image: string, command: string[]): Promise<{ output: string; succeeded: boolean }> {
  const container = { name: "main", image, imagePullPolicy: "Never", command };
  const spec = { restartPolicy: "Never", containers: [container] };
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name: pod }, spec };
  await cluster.kubectl(["create", "-f", "-"], { input: JSON.stringify(object) });
  const phase = () => cluster.kubectl(["get", "pod", pod, "-o", "jsonpath={.status.phase}"]);
  await expect.poll(phase, { timeout: 60_000, interval: 200 }).toMatch(/Succeeded|Failed/);
  return { output: await cluster.kubectl(["logs", pod]), succeeded: (await phase()) === "Succeeded" };
}

const mysqlOf = (image: string) => `localhost/moco-ts/${image}:9.7`;

/** Options that pods of version 1 are given, some of which 9.7 does not know. */
const options = [
  "[mysqld]",
  "innodb_log_file_size = 800M",
  "innodb_log_files_in_group = 2",
  "temptable_use_mmap = OFF",
  "innodb_flush_method = O_DIRECT",
  "binlog_format = ROW",
  "secure_file_priv = NULL",
  "datadir = /tmp/data",
  "socket = /tmp/mysqld.sock",
  "pid_file = /tmp/mysqld.pid",
  "mysqlx = OFF",
].join("\\n");

const initialiseAndServe = `
  printf '${options}\\n' >/tmp/my.cnf
  mysqld --defaults-file=/tmp/my.cnf --initialize-insecure --innodb-log-file-size=10M || exit 1
  mysqld --defaults-file=/tmp/my.cnf &
  until mysql -uroot -S /tmp/mysqld.sock -e 'SELECT CONCAT("version ", VERSION())'; do
    kill -0 $! || exit 1
    sleep 0.2
  done 2>/dev/null
  id -u`;

test("mysqld with options of version 1 runs on mysql-loose, as user 10000", async () => {
  const { output, succeeded } = await runPod("loose", mysqlOf("mysql-loose"), ["sh", "-c", initialiseAndServe]);
  expect(output).toMatch(/version 9\.7/);
  expect(output).toMatch(/^10000$/m);
  expect(output).toMatch(/unknown variable 'loose_innodb_log_file_size=800M'/);
  expect(succeeded).toBe(true);
});

test("the plain image leaves mysqld and its options alone", async () => {
  const { output, succeeded } = await runPod("plain", mysqlOf("mysql"), ["sh", "-c", initialiseAndServe]);
  expect(output).toMatch(/unknown variable 'innodb[-_]log[-_]file[-_]size/);
  expect(succeeded).toBe(false);
});

test("every option that mysql-loose takes care of is really gone", async () => {
  const script = await readFile(join(imagesFolder, "mysql-loose", "mysqld"), "utf8");
  const names = /removed='([^']+)'/.exec(script)![1]!.trim().split(/\s+/);
  expect(names.length).toBeGreaterThan(20);
  const each = `for name in ${names.join(" ")}; do
      mysqld --no-defaults --validate-config --secure-file-priv=NULL --$name=1 2>&1 | grep -q "unknown variable '$name" || echo "known: $name"
    done`;
  expect(await runPod("removed", mysqlOf("mysql"), ["sh", "-c", each])).toEqual({ output: "", succeeded: true });
});

test("the base image has what tests and programs need", async () => {
  const tools = "node --version; curl --version | head -1; ps --version; ls /etc/ssl/certs/ca-certificates.crt";
  const { output } = await runPod("base", "localhost/moco-ts/base:sid", ["sh", "-c", tools]);
  expect(output).toMatch(/^v24\./m);
  expect(output).toMatch(/^curl /m);
  expect(output).toMatch(/procps/);
  expect(output).toMatch(/ca-certificates\.crt/);
});

test("a folder with a Containerfile and a bundled program becomes an image that runs", async () => {
  const program = join(folder, "greeter");
  const containerfile = 'ARG BASE\nFROM ${BASE}\nCOPY main.mjs /greeter.mjs\nENTRYPOINT ["node", "/greeter.mjs"]\n';
  await mkdir(program);
  await writeFile(join(program, "Containerfile"), containerfile);
  const build = async (text: string) => {
    await writeFile(join(program, "main.mjs"), `console.log(${JSON.stringify(text)})`);
    const [image] = await buildImages({ folder, names: ["greeter"] });
    await loadImages(cluster.nodes, [image!.reference]);
    return image!;
  };
  const first = await build("hello");
  expect(first.reference).toBe("localhost/moco-ts/greeter:dev");
  expect(await build("hello")).toEqual(first);
  expect((await runPod("first", first.reference, ["node", "/greeter.mjs"])).output).toBe("hello\n");
  const second = await build("hello again");
  expect(second.descriptor.digest).not.toBe(first.descriptor.digest);
  expect((await runPod("second", second.reference, ["node", "/greeter.mjs"])).output).toBe("hello again\n");
});
