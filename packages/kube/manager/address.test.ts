import { expect, it } from "vitest";
import { parseAddress } from "./address.ts";

it.each([
  [":8080", { port: 8080 }],
  ["0.0.0.0:9443", { host: "0.0.0.0", port: 9443 }],
  ["localhost:0", { host: "localhost", port: 0 }],
  ["[::1]:8080", { host: "::1", port: 8080 }],
  ["0", undefined],
  ["", undefined],
])("reads %j", (text, address) => {
  expect(parseAddress(text)).toEqual(address);
});

it.each(["8080", "localhost", ":http", ":65536", "::1:8080", "http://localhost:8080", ":"])("refuses %j", (text) => {
  expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: "ADDRESS_INVALID" }));
});
