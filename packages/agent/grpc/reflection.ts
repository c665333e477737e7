/** Server reflection, by which tools such as grpcurl learn what can be called. */
import { agentService, fileOf, files } from "./descriptors.ts";
import { decode, encode, textOf, type Fields } from "./protobuf.ts";
import type { Method } from "./server.ts";
import { grpcCodes } from "./status.ts";

const services = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"];

/** Fields of ServerReflectionRequest; those of the response are said where it is made. */
const requestFields = { fileByFilename: 3, fileContainingSymbol: 4, listServices: 7 } as const;

const reflect: Method = async (request) => {
  const asked = decode(request);
  const respond = (rest: Fields): Uint8Array => encode({ 2: request, ...rest });
  if (asked.has(requestFields.listServices)) {
    return respond({ 6: [{ 1: [agentService, ...services].map((name) => ({ 1: name })) }] });
  }
  const file = asked.has(requestFields.fileByFilename)
    ? files[textOf(asked, requestFields.fileByFilename)]
    : fileOf(textOf(asked, requestFields.fileContainingSymbol));
  return respond(file ? { 4: [{ 1: file }] } : { 7: [{ 1: grpcCodes.notFound, 2: "not found" }] });
};

export const reflectionMethods: Readonly<Record<string, Method>> = Object.fromEntries(
  services.map((service) => [`/${service}/ServerReflectionInfo`, reflect]),
);
