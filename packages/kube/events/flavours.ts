import { hostname } from "node:os";
import { formatMicroTime } from "../lease/record.ts";
import type { Client, RequestOptions } from "../rest/client.ts";
import { Events, EventsV1Events, type Event, type EventsV1Event } from "../types/generated/index.ts";
import { truncate, type Series } from "./correlate.ts";

/** Who reports. */
export interface Reporter {
  /** The controller's name, as users see it under FROM. */
  readonly component: string;
  /** Which of its processes. */
  readonly instance: string | undefined;
}

/** How a series is written to the server: created once, then brought up to date. */
export interface Flavour {
  create(client: Client, series: Series, options: RequestOptions): Promise<unknown>;
  update(client: Client, series: Series, options: RequestOptions): Promise<unknown>;
}

/** core/v1: `count`, `firstTimestamp` and `lastTimestamp`, shown by kubectl as "(x5 over 3m)". */
export function coreEvents({ component, instance }: Reporter): Flavour {
  return {
    create(client, series, options) {
      const { regarding, type, reason, message, count } = series;
      const event: Event = {
        metadata: { namespace: namespaceOf(series), name: series.name },
        involvedObject: regarding,
        type,
        reason: truncate(reason, 128),
        message,
        count,
        firstTimestamp: formatTime(series.firstSeen),
        lastTimestamp: formatTime(series.lastSeen),
        source: { component },
        reportingComponent: component,
        ...(instance !== undefined && { reportingInstance: truncate(instance, 128) }),
      };
      return client.create(Events, event, options);
    },
    update(client, series, options) {
      const { count, message } = series;
      const body = { count, message, lastTimestamp: formatTime(series.lastSeen) };
      return client.patch(Events, keyOfEvent(series), { type: "merge", body }, options);
    },
  };
}

/** events.k8s.io/v1: the first one alone, then `series` with a count. The note can't change any more. */
export function seriesEvents({ component, instance = hostname() }: Reporter): Flavour {
  return {
    create(client, series, options) {
      const { regarding, type, reason, message, count } = series;
      const event: EventsV1Event = {
        metadata: { namespace: namespaceOf(series), name: series.name },
        eventTime: formatMicroTime(series.firstSeen),
        regarding,
        type,
        reason: truncate(reason, 128),
        action: truncate(series.action ?? reason, 128),
        note: message,
        reportingController: component,
        reportingInstance: truncate(instance, 128),
        ...(count > 1 && { series: seriesOf(series) }),
      };
      return client.create(EventsV1Events, event, options);
    },
    update(client, series, options) {
      const body = { series: seriesOf(series) };
      return client.patch(EventsV1Events, keyOfEvent(series), { type: "merge", body }, options);
    },
  };
}

function seriesOf({ count, lastSeen }: Series): { count: number; lastObservedTime: string } {
  return { count, lastObservedTime: formatMicroTime(lastSeen) };
}

function keyOfEvent(series: Series): { namespace: string; name: string } {
  return { namespace: namespaceOf(series), name: series.name };
}

/** Events of cluster-scoped objects live in the default namespace. */
function namespaceOf({ regarding }: Series): string {
  return regarding.namespace || "default";
}

/** Kubernetes' Time: whole seconds. */
function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z");
}
