import { abortReason, CodedError, type Clock } from "@moco-ts/base";
import { ConnectionError } from "./errors.ts";
import { describeRequest, errorOf, type Exchange, type ExchangeRequest } from "./exchange.ts";
import { createIdleTimer } from "./idle-timer.ts";

/**
 * The bytes of an answer as they come, in chunks. Throws a KubeError if the request is refused, a ConnectionError if the
 * connection breaks or is silent for longer than `idleTimeout` milliseconds. Leaving the loop closes the connection.
 */
export async function* answerStream(
  exchange: Exchange,
  clock: Clock,
  request: ExchangeRequest,
  idleTimeout?: number,
): AsyncGenerator<Buffer[]> {
  const what = describeRequest(request);
  const answer = await exchange.open(request);
  const { stream } = answer;
  if (!stream) throw errorOf(request, answer, clock);
  const idle = createIdleTimer(clock, idleTimeout, (milliseconds) =>
    stream.destroy(new ConnectionError(`${what}: no sign of life for ${milliseconds} ms`)),
  );
  try {
    for (let chunks = await stream.read(); chunks; chunks = await stream.read()) {
      idle.touch();
      yield chunks;
    }
  } catch (error) {
    if (request.signal?.aborted) throw abortReason(request.signal);
    if (error instanceof CodedError) throw error;
    throw new ConnectionError(`${what}: the connection broke`, { cause: error });
  } finally {
    idle.stop();
    stream.destroy();
  }
}
