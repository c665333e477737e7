import { loadFileDescriptorSetFromBuffer } from "@grpc/proto-loader";
import { expect, test } from "vitest";
import { files } from "./descriptors.ts";
import { decode, encode, messageOf, textOf, type Fields } from "./protobuf.ts";
import { reflectionMethods } from "./reflection.ts";

const reflect = reflectionMethods["/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"]!;

test("services are listed", async () => {
  const response = decode(await reflect(encode({ 7: "*" })));
  const services = messageOf(response, 6)!
    .get(1)!
    .map((service) => textOf(decode(service as Uint8Array), 1));
  expect(services).toEqual([
    "moco.Agent",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
  ]);
});

test("the files that are given describe the service as others read it", async () => {
  const asked: Fields[] = [{ 4: "moco.Agent" }, { 3: "google/protobuf/duration.proto" }];
  const given = await Promise.all(
    asked.map(async (request) => messageOf(decode(await reflect(encode(request))), 4)!.get(1)![0] as Uint8Array),
  );
  const definition = loadFileDescriptorSetFromBuffer(Buffer.concat(given.map((file) => encode({ 1: file }))));
  const { Clone } = definition["moco.Agent"] as Record<
    string,
    { path: string; requestSerialize(value: object): Buffer }
  >;
  expect(Clone!.path).toBe("/moco.Agent/Clone");
  const bytes = Clone!.requestSerialize({ host: "h", init_user: "i", boot_timeout: { seconds: 5 } });
  expect([textOf(decode(bytes), 1), textOf(decode(bytes), 5)]).toEqual(["h", "i"]);
});

test("what is not there is not found", async () => {
  const asked: Fields[] = [{ 4: "moco.Nothing" }, { 3: "no.proto" }, { 6: "moco.Agent" }];
  for (const request of asked) {
    const response = decode(await reflect(encode(request)));
    expect(textOf(messageOf(response, 7)!, 2)).toBe("not found");
  }
  expect(Object.keys(files)).toHaveLength(2);
});
