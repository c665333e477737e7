import type { MySQLCluster } from "@moco-ts/api";
import type { Configuration, Pod } from "@moco-ts/kube";

export const cluster = "demo";
export const replicas = 3;

/** Three instances whose volumes grow by themselves when they are half full. */
export function clusterManifest(
  namespace: string,
  image: string,
  storage: string,
  version: number,
): Configuration<MySQLCluster> {
  return {
    metadata: {
      name: cluster,
      namespace,
      annotations: { "moco.cybozu.com/auto-reclone-errant": "true" },
    },
    spec: {
      replicas,
      podTemplate: {
        metadata: { annotations: { "example.com/version": String(version) } },
        spec: { containers: [{ name: "mysqld", image, imagePullPolicy: "IfNotPresent" }] },
      },
      volumeClaimTemplates: [
        {
          metadata: {
            name: "mysql-data",
            annotations: {
              "resize.topolvm.io/threshold": "50%",
              "resize.topolvm.io/increase": "2Gi",
              "resize.topolvm.io/storage_limit": "20Gi",
            },
          },
          spec: { resources: { requests: { storage } } },
        },
      ],
    },
  };
}

/** A line for each row: when, whether mysqld has acknowledged it, and its number. It tries no row twice. */
const writes = `
client() { timeout 5 mysql --defaults-extra-file=/credentials/moco-writable-my.cnf --host="$HOST" --connect-timeout=1 "$@"; }
until client -e 'CREATE DATABASE IF NOT EXISTS demo; CREATE TABLE IF NOT EXISTS demo.entries (id INT PRIMARY KEY)'; do sleep 0.2; done
row=0
while :; do
  row=$((row + 1))
  if client -e "INSERT INTO demo.entries VALUES ($row)" 2>/dev/null; then answer=acknowledged; else answer=failed; fi
  echo "$(date +%s%3N) $answer $row"
  sleep 0.05
done`;

export function writerPod(namespace: string, image: string): Pod {
  return {
    metadata: { name: "writer", namespace },
    spec: {
      terminationGracePeriodSeconds: 1,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 10000,
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [
        {
          name: "writer",
          image,
          imagePullPolicy: "IfNotPresent",
          command: ["sh", "-c", writes],
          env: [{ name: "HOST", value: `moco-${cluster}-primary` }],
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
          volumeMounts: [{ name: "credentials", mountPath: "/credentials", readOnly: true }],
        },
      ],
      volumes: [{ name: "credentials", secret: { secretName: `moco-my-cnf-${cluster}` } }],
    },
  };
}
