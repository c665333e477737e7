import { toError } from "@moco-ts/base";
import type { Dispatcher } from "undici";

/**
 * Asks `guard` when the connection is about to be written to. A request may have waited long by then: for the rate limit,
 * for a connection, or in a process that was frozen.
 */
export function askBeforeSending(guard: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        try {
          guard();
        } catch (error) {
          controller.abort(toError(error));
          return;
        }
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (...parameters) => handler.onResponseStart?.(...parameters),
      onResponseData: (...parameters) => handler.onResponseData?.(...parameters),
      onResponseEnd: (...parameters) => handler.onResponseEnd?.(...parameters),
      onResponseError: (...parameters) => handler.onResponseError?.(...parameters),
    });
}
