import { expect, test } from "vitest";
import { answerJson, answerStatus, startHttpServer } from "../testing/http-server.ts";
import { ConfigMaps } from "../types/generated/index.ts";

const query = (url: string | undefined): URLSearchParams => new URL(url ?? "", "http://server").searchParams;
const page = (names: string[], next?: string) => ({
  metadata: { resourceVersion: "5", ...(next && { continue: next }) },
  items: names.map((name) => ({ metadata: { name } })),
});

test("pages are put together", async () => {
  const server = await startHttpServer((request, response) => {
    const token = query(request.url).get("continue");
    answerJson(response, token ? page(["c"]) : page(["a", "b"], "next"));
  });
  const list = await server.client().list(ConfigMaps, { resourceVersion: "0", labelSelector: "x" });
  expect(list.items.map((item) => item.metadata?.name)).toEqual(["a", "b", "c"]);
  expect(list.metadata).toEqual({ resourceVersion: "5" });
  expect(server.requests).toEqual([
    "GET /api/v1/configmaps?labelSelector=x&resourceVersion=0&limit=500",
    "GET /api/v1/configmaps?labelSelector=x&limit=500&continue=next",
  ]);
});

test("a token that expired starts the list over, and then gives up paging", async () => {
  const server = await startHttpServer((request, response) => {
    const parameters = query(request.url);
    if (!parameters.has("limit")) answerJson(response, page(["a", "b", "c"]));
    else if (parameters.has("continue")) answerStatus(response, 410, "Expired");
    else answerJson(response, page(["a"], "next"));
  });
  const { items } = await server.client().list(ConfigMaps);
  expect(items.map((item) => item.metadata?.name)).toEqual(["a", "b", "c"]);
  expect(server.requests).toHaveLength(5);
});

test("a version that expired is the caller's to deal with", async () => {
  const server = await startHttpServer((_request, response) => answerStatus(response, 410, "Expired"));
  await expect(server.client().list(ConfigMaps, { resourceVersion: "1" })).rejects.toMatchObject({
    code: "KUBE_Expired",
  });
  expect(server.requests).toHaveLength(1);
});
