import { CodedError } from "@moco-ts/base";
import { podPaths } from "../paths.ts";

/** Copies the slow query log to the sidecar's standard output. Names of ConfigMaps contain the hash of this text. */
export const defaultFluentBitTemplate = `[SERVICE]
  Log_Level      error
[INPUT]
  Name           tail
  Path           {{ .Path }}
  Read_from_Head true
[OUTPUT]
  Name           file
  Match          *
  Path           /dev
  File           stdout
  Format         template
  Template       {log}
`;

/** An action of Go's templates, with the white space that its dashes take away. */
const action = /(\s*\{\{- |\{\{)([^]*?)( -\}\}\s*|\}\})/g;

/**
 * The configuration that a template stands for. Of Go's template language it knows `{{ .Path }}`, comments and literal
 * strings, which are there to write braces with.
 */
export function expandFluentBitTemplate(template: string, path: string = podPaths.slowLog): string {
  return template.replaceAll(action, (_, _open, body: string) => {
    const expression = body.trim();
    if (expression === ".Path" || expression === "$.Path") return path;
    if (/^\/\*[^]*\*\/$/.test(expression)) return "";
    const literal = /^(?:"((?:[^"\\]|\\["\\])*)"|`([^`]*)`)$/.exec(expression);
    if (literal) return literal[2] ?? literal[1]!.replaceAll(/\\(.)/g, "$1");
    throw new CodedError(
      "FLUENT_BIT_TEMPLATE_INVALID",
      `slowQueryLogConfigTmpl has {{ ${expression} }}, but only {{ .Path }} can be used in it`,
    );
  });
}
