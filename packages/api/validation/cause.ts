/**
 * validation: what is wrong with an object, field by field.
 *
 * The same functions judge an object at admission and in the control loop, since it may have been stored while the
 * webhook was away. They are pure and never throw, whatever the object looks like.
 */
import type { FieldCause } from "@moco-ts/kube";

/** Something that has to be there is not. */
export function required(field: string, problem: string): FieldCause {
  return { reason: "FieldValueRequired", field, message: `Required value: ${problem}` };
}

/** A value that can't be right. */
export function invalid(field: string, value: unknown, problem: string): FieldCause {
  return { reason: "FieldValueInvalid", field, message: `Invalid value: ${show(value)}: ${problem}` };
}

/** Something that may not be done. */
export function forbidden(field: string, problem: string): FieldCause {
  return { reason: "FieldValueForbidden", field, message: `Forbidden: ${problem}` };
}

/** All causes in one line, for a condition. */
export function describeCauses(causes: readonly FieldCause[]): string {
  return causes.map(({ field, message }) => `${field}: ${message}`).join(", ");
}

const longestValue = 100;

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}...`;
}
