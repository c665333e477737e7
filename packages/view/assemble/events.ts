import type { Event } from "@moco-ts/kube";
import type { EventView } from "../model.ts";

/** The newest `count` events, the newest last. */
export function eventsOf(events: readonly Event[], count: number): EventView[] {
  return events
    .map(eventOf)
    .sort((one, other) => Date.parse(one.time) - Date.parse(other.time))
    .slice(-count);
}

function eventOf(event: Event): EventView {
  const { metadata, involvedObject, series, eventTime, lastTimestamp } = event;
  const { kind = "", name = "" } = involvedObject;
  return {
    time: series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata?.creationTimestamp ?? "",
    type: event.type ?? "Normal",
    reason: event.reason ?? "",
    object: `${kind}/${name}`,
    message: event.message ?? "",
    count: series?.count ?? event.count ?? 1,
  };
}
