import { expect, test } from "vitest";
import { parseEndpoint } from "./endpoint.ts";

test.each([
  ["api-server", "api-server"],
  ["host", "host"],
  ["node/node-2", { node: "node-2" }],
  ["pod/default/mysql-0", { pod: { namespace: "default", name: "mysql-0" } }],
])("%s is an end of a cut", (text, endpoint) => {
  expect(parseEndpoint(text)).toEqual(endpoint);
});

test.each(["", "node", "node/", "pod/mysql-0", "pod/default/mysql-0/mysqld", "service/default/mysql"])(
  "%s is none",
  (text) => {
    expect(() => parseEndpoint(text)).toThrow(/none of/);
  },
);
