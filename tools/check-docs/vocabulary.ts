/** Every word that users meet in conditions, Events and errors, as the code has them. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { clusterEvents, clusterStates, conditionTypes, statefulSetEvents } from "@moco-ts/api";
import { root } from "./pages.ts";

/** The text of all programs, without tests and without what only tests use. */
function sources(pattern: string): string[] {
  const paths = globSync(`packages/${pattern}/**/*.ts`, { cwd: root });
  const ours = paths.filter((path) => !/node_modules|\.test\.ts$|\/testing\/|\/simulation\//.test(path));
  return ours.map((path) => readFileSync(join(root, path), "utf8"));
}

const found = (texts: readonly string[], pattern: RegExp): string[] =>
  texts.flatMap((text) => [...text.matchAll(pattern)].map(([, word]) => word!));

/** Codes of errors. What is made of a part that others choose ends in `*`: `KUBE_*`. */
export function errorCodes(): Set<string> {
  const texts = sources("*");
  const whole = found(texts, /(?:Error|super)\(\s*(?:error\.code \?\? )?"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)"/g);
  const made = found(texts, /(?:Error|super)\(\s*`([A-Z][A-Z0-9_]*_)\$\{/g);
  return new Set([...whole, ...made.map((prefix) => `${prefix}*`)]);
}

export function conditions(): Set<string> {
  return new Set(Object.values(conditionTypes));
}

/** Reasons of answers to requests, which only programs read. */
const isStatus = /^FieldValue|^BadRequest$/;

/** Reasons of conditions and of Events. */
export function reasons(): Set<string> {
  const events = [...Object.values(clusterEvents), ...Object.values(statefulSetEvents)];
  const ofEvents = events.map((event) => (event as (...values: unknown[]) => { reason: string })(0, "").reason);
  const texts = sources("{api,operator,autoresizer}");
  const given = found(texts, /\breason(?:: | = )"([A-Z][A-Za-z]+)"/g).filter((word) => !isStatus.test(word));
  const listed = found(texts, /(?:const reasons = \[|StatefulSetReason =\n?|readonly name: )(.*)[\];]/g);
  const words = listed.flatMap((list) => [...list.matchAll(/"([A-Z]\w+)"/g)].map(([, word]) => word!));
  const activities = ["Clustering", "Reconciliation"].flatMap((each) => [`${each}Active`, `${each}Inactive`]);
  return new Set([...ofEvents, ...given, ...words, ...activities, ...clusterStates]);
}
