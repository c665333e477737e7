import { toError } from "@moco-ts/base";
import { isConflict } from "@moco-ts/kube";

/**
 * Waits for all of them, whatever becomes of one, and then throws what went wrong. A conflict is thrown only if nothing
 * else did: it is settled by another look, and must not hide what is not.
 */
export async function together(...work: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  const problems: unknown[] = results.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  const worst = problems.find((error) => !isConflict(error)) ?? problems[0];
  if (worst !== undefined) throw toError(worst);
}
