import type { InstanceState, ReplicaSide } from "@moco-ts/mysql";
import type { GtidSets } from "./gtids.ts";
import type { Mysqld } from "./mysqld.ts";
import { hostOf } from "./objects.ts";
import type { Replication } from "./replication.ts";

/** What a mysqld says of itself. */
export function look(mysqld: Mysqld, replication: Replication, gtids: GtidSets, now: number): InstanceState {
  const { disk, readOnly, superReadOnly, offlineMode, stopping, acknowledgements, acknowledges, enforced } = mysqld;
  const receivers = replication.receivers(mysqld);
  return {
    uuid: disk.uuid,
    serverId: disk.serverId,
    executed: gtids.of(disk.executed),
    committing: gtids.between(disk.executed, disk.written),
    purged: gtids.of(disk.purged),
    readOnly,
    superReadOnly,
    offlineMode,
    stopping,
    uptime: Math.floor((now - mysqld.startedAt) / 1000),
    source: {
      enabled: acknowledgements > 0,
      active: acknowledgements > 0,
      acknowledgements: Math.max(acknowledgements, 1),
      waitingSessions: acknowledgements > 0 ? mysqld.waiting : 0,
      acknowledgingReplicas: receivers.filter((each) => each.acknowledges).length,
      receivers: receivers.map(({ replica }) => replica.disk.uuid),
    },
    replica: disk.channel && replicaSide(mysqld, replication, gtids),
    acknowledges,
    clone: disk.clone && { state: disk.clone, error: undefined },
    enforced,
    authorityFile: "",
    dangers: [],
  };
}

function replicaSide(mysqld: Mysqld, replication: Replication, gtids: GtidSets): ReplicaSide {
  const { disk, receiver, applying, receiveError } = mysqld;
  const { sourceOrdinal, sourceUuid, attentive } = disk.channel!;
  return {
    sourceHost: hostOf(sourceOrdinal),
    sourceUuid,
    receiving: receiver,
    applying,
    receiveError,
    applyError: undefined,
    interrupted: false,
    retrieved: gtids.between(disk.relayBase, disk.retrieved),
    secondsBehind: receiver === "yes" && applying ? 0 : null,
    heardAgo: replication.heardAgo(mysqld),
    queueing: false,
    secure: false,
    attentive,
  };
}
