import { Type } from "typebox";
import { textMap } from "./fields.ts";

const labels = Type.Optional(textMap({ description: "Labels." }));
const annotations = Type.Optional(textMap({ description: "Annotations." }));

/** Metadata of a Pod or Service, whose name is the operator's to choose. */
export const namelessMetadata = Type.Object(
  { name: Type.Optional(Type.String({ description: "Ignored." })), labels, annotations },
  { description: "Labels and annotations." },
);

/** Metadata of a volume claim template, which is known by its name. */
export const claimMetadata = Type.Object(
  {
    name: Type.Optional(Type.String({ description: "Name of the volume. One must be mysql-data." })),
    labels,
    annotations,
  },
  { description: "Name, labels and annotations." },
);
