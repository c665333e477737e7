/** For tests: asks for mysqld where none runs, and where the kernel has no port to give but mysqld's own. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { ports } from "@moco-ts/api";
import { describeError, systemClock } from "@moco-ts/base";
import { Session } from "../session.ts";

const { number: port } = ports.mysqlAdmin;
await writeFile("/proc/sys/net/ipv4/ip_local_port_range", `${port} ${port}`);
const login = { host: "127.0.0.1", port, user: "nobody", password: "" };
const session = new Session({ ...login, connectTimeout: 500, clock: systemClock, maxIdleTime: 1_000 });
const answer = await session.use(1_000, (connection) => connection.query("SELECT 1")).catch(describeError);
const server = createServer().listen(port, login.host);
const isFree = await once(server, "listening").then(() => "free", describeError);
server.close();
process.stdout.write(JSON.stringify({ answer, port: isFree }));
