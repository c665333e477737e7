import { encode, type Fields } from "./protobuf.ts";

/** Numbers of google.protobuf.FieldDescriptorProto.Type. */
const types = { int64: 3, int32: 5, string: 9, message: 11 } as const;

type FieldType = keyof typeof types | { readonly message: string };

/** A FieldDescriptorProto: name, number, label "optional", type, and the type's name. */
function field(name: string, number: number, type: FieldType): Fields {
  const common = { 1: name, 3: number, 4: 1 };
  if (typeof type === "string") return { ...common, 5: types[type] };
  return { ...common, 5: types.message, 6: type.message };
}

export const agentService = "moco.Agent";
export const cloneMethod = "/moco.Agent/Clone";

/** FileDescriptorProtos by name. */
export const files: Readonly<Record<string, Uint8Array>> = {
  "google/protobuf/duration.proto": encode({
    1: "google/protobuf/duration.proto",
    2: "google.protobuf",
    4: [{ 1: "Duration", 2: [field("seconds", 1, "int64"), field("nanos", 2, "int32")] }],
    12: "proto3",
  }),
  "proto/agentrpc.proto": encode({
    1: "proto/agentrpc.proto",
    2: "moco",
    3: "google/protobuf/duration.proto",
    4: [
      {
        1: "CloneRequest",
        2: [
          field("host", 1, "string"),
          field("port", 2, "int32"),
          field("user", 3, "string"),
          field("password", 4, "string"),
          field("init_user", 5, "string"),
          field("init_password", 6, "string"),
          field("boot_timeout", 7, { message: ".google.protobuf.Duration" }),
        ],
      },
      { 1: "CloneResponse" },
    ],
    6: [{ 1: "Agent", 2: [{ 1: "Clone", 2: ".moco.CloneRequest", 3: ".moco.CloneResponse" }] }],
    12: "proto3",
  }),
};

/** The file that defines a symbol. */
export function fileOf(symbol: string): Uint8Array | undefined {
  if (symbol === "google.protobuf.Duration") return files["google/protobuf/duration.proto"];
  const known = [agentService, `${agentService}.Clone`, "moco.CloneRequest", "moco.CloneResponse"];
  return known.includes(symbol) ? files["proto/agentrpc.proto"] : undefined;
}
