import { CodedError, describeError, isAbort, toError } from "@moco-ts/base";
import { ConnectionError, hasReason } from "@moco-ts/kube";
import { CommanderError } from "commander";

/** A command could not do what it was asked. `advice` says what the user can do about it. */
export class Failure extends CodedError {
  readonly exitCode: number;
  readonly advice: string | undefined;

  constructor(message: string, options: { advice?: string; exitCode?: number; cause?: unknown } = {}) {
    super("COMMAND_FAILED", message, { cause: options.cause });
    this.exitCode = options.exitCode ?? exitCodes.failure;
    this.advice = options.advice;
  }
}

export const exitCodes = { success: 0, failure: 1, usage: 2, interrupted: 130 } as const;

/** The command line makes no sense. */
export function usageError(message: string, advice?: string): Failure {
  return new Failure(message, { exitCode: exitCodes.usage, ...(advice && { advice }) });
}

/** What a user is told of an error of the way to the cluster. Other errors come through as they are. */
export function explain(error: unknown, server: string): unknown {
  if (hasReason(error, "Unauthorized")) {
    const advice = "Log in again, or choose other credentials with --context, --user or --token.";
    return new Failure(`the API server at ${server} does not accept your credentials`, { advice, cause: error });
  }
  if (hasReason(error, "Forbidden")) {
    const advice = "Ask whoever administers the cluster for this right, or choose another user with --context or --as.";
    return new Failure(error.message, { advice, cause: error });
  }
  if (error instanceof ConnectionError) {
    const advice = "Check that the cluster is up, and that --kubeconfig and --context name the right one.";
    return new Failure(`cannot reach the API server at ${server}: ${rootOf(error)}`, { advice, cause: error });
  }
  return error;
}

/** What goes to standard error, if anything, and the exit code. */
export function outcomeOf(error: unknown, signal: AbortSignal): { text: string; exitCode: number } {
  if (signal.aborted && isAbort(error, signal)) return { text: "", exitCode: exitCodes.interrupted };
  // It has told the user already.
  if (error instanceof CommanderError) {
    return { text: "", exitCode: error.exitCode === 0 ? exitCodes.success : exitCodes.usage };
  }
  if (error instanceof Failure) {
    const advice = error.advice ? `${error.advice}\n` : "";
    return { text: `error: ${error.message}\n${advice}`, exitCode: error.exitCode };
  }
  return { text: `error: ${describeError(error)}\n`, exitCode: exitCodes.failure };
}

/** The innermost cause: "connect ECONNREFUSED 127.0.0.1:6443" says more than that there was no answer. */
function rootOf(error: Error): string {
  let root = error;
  while (root.cause !== undefined) root = toError(root.cause);
  return describeError(root);
}
