import { descriptorName, publicName, specialTypeOf, typeNameOf } from "./names.ts";
import type { Schema, Specification } from "./specification.ts";

const header = "// Generated from the API server's OpenAPI by `make generate`. Changes by hand are lost.\n";

/** Names that the runtime exports itself. */
const runtimeNames = ["DeleteOptions"];

/** File names and contents, the same for the same specification. */
export function emitTypes(specification: Specification): ReadonlyMap<string, string> {
  const modules = new Map<string, string[]>();
  for (const name of reachable(specification)) {
    const { module } = typeNameOf(name);
    modules.set(module, [...(modules.get(module) ?? []), name]);
  }
  const files = new Map<string, string>();
  for (const [module, names] of modules) files.set(`${module}.ts`, emitModule(module, names, specification));
  files.set("index.ts", emitIndex(modules, specification));
  return files;
}

function reachable({ roots, schemas }: Specification): readonly string[] {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name) || specialTypeOf(name) !== undefined || typeNameOf(name).module.startsWith("..")) return;
    found.add(name);
    const schema = schemas.get(name);
    if (schema === undefined) throw new Error(`the API server refers to ${name} but does not describe it`);
    for (const reference of referencesOf(schema)) visit(reference);
  };
  for (const root of roots) visit(root);
  return [...found].sort();
}

function referencesOf(schema: Schema): readonly string[] {
  const inner = [
    ...(schema.allOf ?? []),
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(schema.additionalProperties ? [schema.additionalProperties] : []),
  ].flatMap(referencesOf);
  return schema.$ref === undefined ? inner : [...inner, refersTo(schema.$ref)];
}

function refersTo(reference: string): string {
  return reference.replace("#/components/schemas/", "");
}

function emitModule(module: string, names: readonly string[], specification: Specification): string {
  const imports = new Map<string, Set<string>>();
  const blocks: string[] = [];
  for (const schemaName of names) {
    const schema = specification.schemas.get(schemaName)!;
    for (const reference of referencesOf(schema)) {
      const type = typeNameOf(reference);
      if (specialTypeOf(reference) !== undefined || type.module === module) continue;
      imports.set(type.module, (imports.get(type.module) ?? new Set()).add(type.name));
    }
    blocks.push(emitInterface(typeNameOf(schemaName).name, schema));
  }
  const descriptors = names.flatMap((name) => emitDescriptor(name, specification));
  const lines = [...imports]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([from, types]) => `import type { ${[...types].sort().join(", ")} } from "${modulePath(from)}";`);
  if (descriptors.length > 0) lines.unshift('import { defineResource } from "../resource.ts";');
  return [
    header,
    ...(lines.length > 0 ? [lines.join("\n") + "\n"] : []),
    ...blocks,
    ...(descriptors.length > 0 ? [descriptors.join("")] : []),
  ].join("\n");
}

function modulePath(module: string): string {
  return module.startsWith("..") ? `${module}.ts` : `./${module}.ts`;
}

function emitInterface(name: string, schema: Schema): string {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, type]) => `  ${quoted(field)}${required.has(field) ? "" : "?"}: ${typeOf(type)};\n`);
  return `export interface ${name} {\n${fields.join("")}}\n`;
}

function quoted(field: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(field) ? field : JSON.stringify(field);
}

/** Values of enumerations stay open strings: a newer server may have more of them. */
function typeOf(schema: Schema): string {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference !== undefined) {
    const name = refersTo(reference);
    return specialTypeOf(name) ?? typeNameOf(name).name;
  }
  switch (schema.type) {
    case "string":
    case "boolean":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array": {
      const item = schema.items === undefined ? "unknown" : typeOf(schema.items);
      return item.includes(" ") ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      return schema.additionalProperties ? `Record<string, ${typeOf(schema.additionalProperties)}>` : "object";
    default:
      return "unknown";
  }
}

function emitDescriptor(schemaName: string, { collections }: Specification): readonly string[] {
  const collection = collections.get(schemaName);
  if (collection === undefined) return [];
  const { apiVersion, kind, plural, namespaced } = collection;
  const scope = namespaced ? "" : ', "Cluster"';
  return [
    `export const ${descriptorName(kind, plural)} = ` +
      `defineResource<${kind}>("${apiVersion}", "${kind}", "${plural}"${scope});\n`,
  ];
}

function emitIndex(modules: ReadonlyMap<string, readonly string[]>, specification: Specification): string {
  const taken = new Set(runtimeNames);
  const lines: string[] = [];
  for (const module of byPrecedence([...modules.keys()])) {
    const names = modules.get(module)!;
    const values = names.flatMap((name) => {
      const collection = specification.collections.get(name);
      return collection === undefined ? [] : [descriptorName(collection.kind, collection.plural)];
    });
    const types = names.map((name) => typeNameOf(name).name).filter((name) => !values.includes(name));
    const renamed = (name: string): string => {
      const exported = publicName({ module, name }, taken);
      taken.add(exported);
      return exported === name ? name : `${name} as ${exported}`;
    };
    const list = (all: readonly string[]): string => all.map((name) => `  ${renamed(name)},\n`).join("");
    if (types.length > 0) lines.push(`export type {\n${list(types)}} from "${modulePath(module)}";`);
    if (values.length > 0) lines.push(`export {\n${list(values)}} from "${modulePath(module)}";`);
  }
  return `${header}\n${lines.join("\n")}\n`;
}

/** The core group keeps its bare names, then apps, then the rest by name. */
function byPrecedence(modules: readonly string[]): readonly string[] {
  const first = ["core-v1", "apps-v1"];
  const rank = (module: string): number => (first.includes(module) ? first.indexOf(module) : first.length);
  return modules.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
