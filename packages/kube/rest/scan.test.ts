import { expect, test } from "vitest";
import { answerJson, answerStatus, startHttpServer } from "../testing/http-server.ts";
import { ConfigMaps, type ConfigMap } from "../types/generated/index.ts";
import { ConnectionError } from "./errors.ts";

const list = {
  kind: "ConfigMapList",
  apiVersion: "v1",
  metadata: { resourceVersion: "7" },
  items: ["one", "two"].map((name) => ({ metadata: { name }, data: { text: '"}]' } })),
};

test("items come one by one, named as what they are", async () => {
  const server = await startHttpServer((_request, response) => answerJson(response, list));
  const items: ConfigMap[] = [];
  const options = { namespace: "default", labelSelector: "a=b" };
  const metadata = await server.client().scan(ConfigMaps, options, (item) => void items.push(item));
  expect(metadata).toEqual({ resourceVersion: "7" });
  expect(items).toEqual(list.items.map((item) => ({ ...item, apiVersion: "v1", kind: "ConfigMap" })));
  expect(server.requests).toEqual(["GET /api/v1/namespaces/default/configmaps?labelSelector=a%3Db"]);
});

test("an answer that is cut, refused or no list is an error", async () => {
  const text = JSON.stringify(list);
  const server = await startHttpServer((_request, response, count) => {
    if (count === 0) response.end(text.slice(0, -20));
    else if (count === 1) response.write(text.slice(0, -20), () => response.destroy());
    else if (count === 2) answerStatus(response, 403, "Forbidden");
    else response.write(text.slice(0, -20));
  });
  const scan = (idleTimeout?: number) => server.client().scan(ConfigMaps, { idleTimeout }, () => undefined);
  await expect(scan()).rejects.toBeInstanceOf(ConnectionError);
  await expect(scan()).rejects.toBeInstanceOf(ConnectionError);
  await expect(scan()).rejects.toMatchObject({ code: "KUBE_Forbidden" });
  await expect(scan(50)).rejects.toThrow("no sign of life");
});

test("whatever the reader throws ends the scan", async () => {
  const server = await startHttpServer((_request, response) => response.write(JSON.stringify(list).slice(0, -2)));
  const scan = server.client().scan(ConfigMaps, {}, () => {
    throw new Error("no good");
  });
  await expect(scan).rejects.toThrow("no good");
});
