import { CodedError } from "@moco-ts/base";

/** Numbers of errors that callers decide by. */
export const errorNumbers = {
  accessDenied: 1045,
  noSuchThread: 1094,
  cannotOpenLibrary: 1126,
  /** A plugin, or a function, is there already. */
  alreadyInstalled: 1125,
  queryInterrupted: 1317,
  /** RESTART and CLONE: nobody is there who would start mysqld again. It ends all the same. */
  restartFailed: 3707,
} as const;

/**
 * What mysqld answered, or why it could not be asked. `code` is MySQL's name for it (ER_ACCESS_DENIED_ERROR) or the
 * system's (ECONNREFUSED). The message has neither statements nor passwords.
 */
export class MysqlError extends CodedError {
  /** MySQL's number; undefined if the error is not mysqld's. */
  readonly number: number | undefined;

  constructor(code: string, message: string, number?: number) {
    super(code, message);
    this.number = number;
  }
}

export function isMysqlError(error: unknown, number: number): boolean {
  return error instanceof MysqlError && error.number === number;
}

/** mysqld is there and does not let this user in. */
export function isAccessDenied(error: unknown): boolean {
  return isMysqlError(error, errorNumbers.accessDenied);
}

/**
 * The driver's error without what it carries along: the statement, and in a syntax error's message a part of it. So the
 * original is not kept as the cause either.
 */
export function withoutSecrets(thrown: unknown, what: string, secrets: readonly string[]): MysqlError {
  const error = thrown as { message?: string; code?: string; errno?: number; sqlMessage?: string };
  let message = error.sqlMessage ?? error.message ?? String(thrown);
  for (const secret of secrets) {
    if (secret !== "") message = message.replaceAll(secret, "[redacted]");
  }
  const fromServer = error.sqlMessage !== undefined;
  return new MysqlError(error.code ?? "MYSQL_ERROR", `${what}: ${message}`, fromServer ? error.errno : undefined);
}
