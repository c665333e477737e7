/** Where a schema's type lives: `io.k8s.api.apps.v1.StatefulSet` is `StatefulSet` of the module `apps-v1`. */
export interface TypeName {
  readonly module: string;
  readonly name: string;
}

/** Written by hand in types/object.ts, since the runtime itself is built on them. */
const handWritten = new Set(["ListMeta", "ManagedFieldsEntry", "ObjectMeta", "OwnerReference"]);

/** Schemas that are no objects on the wire, or whose form OpenAPI does not tell. */
const special: Readonly<Record<string, string>> = {
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "string",
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "string",
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "object",
  "io.k8s.apimachinery.pkg.runtime.RawExtension": "object",
  "io.k8s.apimachinery.pkg.api.resource.Quantity": "string",
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "number | string",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON": "unknown",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray":
    "JSONSchemaProps | JSONSchemaProps[]",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool": "JSONSchemaProps | boolean",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray": "JSONSchemaProps | string[]",
};

export function typeNameOf(schemaName: string): TypeName {
  const parts = schemaName.split(".");
  const [group, version, name] = parts.slice(-3) as [string, string, string];
  if (group === "meta" && handWritten.has(name)) return { module: "../object", name };
  return { module: `${group}-${version}`, name };
}

/** The TypeScript type of a schema that gets no interface. */
export function specialTypeOf(schemaName: string): string | undefined {
  return special[schemaName];
}

/**
 * The name under which a type is exported to everyone: its own, unless an earlier module or the runtime has taken it;
 * then the module's comes in front: `EventsV1Event`.
 */
export function publicName(type: TypeName, taken: ReadonlySet<string>): string {
  if (!taken.has(type.name)) return type.name;
  return type.module.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()) + type.name;
}

/** The descriptor of a kind is its plural: `ConfigMaps`, `StorageClasses`, `ValidatingAdmissionPolicies`. */
export function descriptorName(kind: string, plural: string): string {
  const candidates = [kind, `${kind}s`, `${kind}es`, kind.replace(/y$/, "ies")];
  const found = candidates.find((each) => each.toLowerCase() === plural);
  if (found === undefined) throw new Error(`no readable plural for ${kind} (${plural})`);
  return found;
}
