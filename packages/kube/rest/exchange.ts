import {
  abortReason,
  CodedError,
  DeadlineError,
  sleep,
  toError,
  withDeadline,
  type Clock,
  type Logger,
  type Metrics,
} from "@moco-ts/base";
import type { Authentication } from "./authentication.ts";
import { ConnectionError, type KubeError } from "./errors.ts";
import { createObserver } from "./observe.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { errorOfAnswer, parseRetryAfter } from "./status.ts";
import type { Method, Transport, TransportResponse } from "./transport.ts";
import { createWarningLog } from "./warnings.ts";

export interface ExchangeRequest {
  readonly method: Method;
  /** With query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeout?: number | undefined;
  readonly guard?: (() => void) | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: TransportResponse["headers"];
  /** The whole body, unless it is a stream. */
  readonly body: string;
  /** Set for the successful answer to `open`. */
  readonly stream?: TransportResponse["body"];
}

/** Requests with everything that callers should not have to think of: limits, deadlines, retries, metrics. */
export interface Exchange {
  /** The answer, whatever its status. */
  call(request: ExchangeRequest): Promise<Answer>;
  /** The deadline is for the beginning of the answer; its stream lasts until it ends or the signal is aborted. */
  open(request: ExchangeRequest): Promise<Answer>;
}

export interface ExchangeOptions {
  readonly transport: Transport;
  readonly authentication: Authentication;
  readonly limiter: RateLimiter | undefined;
  readonly timeout: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics | undefined;
}

/** How often a server that asks to wait is asked again within one request. */
const maximumRetries = 5;
const brokenConnection = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

export function createExchange(options: ExchangeOptions): Exchange {
  const { transport, authentication, limiter, clock } = options;
  const warn = createWarningLog(options.logger);
  const observe = createObserver(options.metrics, transport.host, clock);

  const attempt = async (
    kind: "request" | "stream",
    request: ExchangeRequest,
    signal: AbortSignal,
  ): Promise<Answer> => {
    await limiter?.acquire(signal);
    const finished = observe(request.method);
    try {
      const { statusCode: status, headers, body } = await transport[kind]({ ...request, signal });
      warn(headers["warning"]);
      const isStream = kind === "stream" && status < 300;
      const answer = { status, headers, body: isStream ? "" : await body.text(), ...(isStream && { stream: body }) };
      finished(status);
      return answer;
    } catch (error) {
      finished("<error>");
      throw error;
    }
  };

  /** Repeats what the server asks to repeat, and what a kept-alive connection that turned out dead has lost. */
  const persist = async (
    request: ExchangeRequest,
    signal: AbortSignal,
    once: () => Promise<Answer>,
  ): Promise<Answer> => {
    const deadline = clock.monotonic() + (request.timeout ?? options.timeout);
    let refreshed = false;
    let reconnected = false;
    for (let retries = 0; ;) {
      let answer: Answer;
      try {
        answer = await once();
      } catch (error) {
        if (reconnected || request.method !== "GET" || !isBroken(error)) throw error;
        reconnected = true;
        continue;
      }
      if (answer.status === 401 && !refreshed && authentication.refresh()) {
        refreshed = true;
        continue;
      }
      const asksToWait = answer.status === 429 || answer.status === 503;
      const wait = asksToWait ? retryAfterOf(answer, clock) : undefined;
      if (wait === undefined || retries >= maximumRetries || clock.monotonic() + wait >= deadline) return answer;
      retries++;
      await sleep(clock, wait, signal);
    }
  };

  const exchange = async (
    request: ExchangeRequest,
    once: (limited: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> => {
    const { signal, timeout: milliseconds = options.timeout } = request;
    const what = describeRequest(request);
    try {
      return await withDeadline({ what, milliseconds, clock, signal }, (limited) =>
        persist(request, limited, () => once(limited)),
      );
    } catch (error) {
      if (signal?.aborted) throw abortReason(signal);
      if (error instanceof CodedError && !(error instanceof DeadlineError)) throw error;
      throw new ConnectionError(`${what} got no answer`, { cause: error });
    }
  };

  return {
    call: (request) => exchange(request, (limited) => attempt("request", request, limited)),
    open: (request) =>
      exchange(request, async (limited) => {
        // Until the answer begins, the deadline may end the request; afterwards only the caller.
        const beginning = new AbortController();
        const giveUp = (): void => beginning.abort(limited.reason);
        limited.addEventListener("abort", giveUp, { once: true });
        const { signal } = request;
        const either = signal ? AbortSignal.any([signal, beginning.signal]) : beginning.signal;
        try {
          return await attempt("stream", request, either);
        } finally {
          limited.removeEventListener("abort", giveUp);
        }
      }),
  };
}

/** The error that a refused request's answer tells of. */
export function errorOf(request: ExchangeRequest, answer: Answer, clock: Clock): KubeError {
  return errorOfAnswer(describeRequest(request), answer.status, answer.body, retryAfterOf(answer, clock));
}

/** Method and path without the query, which is long and may say too much. */
export function describeRequest(request: ExchangeRequest): string {
  return `${request.method} ${request.path.split("?", 1)[0]}`;
}

function retryAfterOf(answer: Answer, clock: Clock): number | undefined {
  return parseRetryAfter(answer.headers["retry-after"], clock.now());
}

function isBroken(error: unknown): boolean {
  const { code } = toError(error) as NodeJS.ErrnoException;
  return code !== undefined && brokenConnection.has(code);
}
