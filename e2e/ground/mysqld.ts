import type { Pod } from "@moco-ts/kube";
import type { Cluster } from "@moco-ts/local-kubernetes";

export const mysqlImage = "localhost/moco-ts/mysql:9.7";

const options = ["--datadir=/var/lib/mysql/data", "--socket=/run/mysqld.sock", "--pid-file=/run/mysqld.pid"];
const volumeMounts = [
  { name: "data", mountPath: "/var/lib/mysql" },
  { name: "run", mountPath: "/run" },
  { name: "tmp", mountPath: "/tmp" },
];

/** A mysqld that makes its data directory itself, on a claim. */
export function mysqld({ name, claimName, node }: { name: string; claimName: string; node: string }): Pod {
  const container = { image: mysqlImage, imagePullPolicy: "Never", volumeMounts };
  const initialise = `test -d /var/lib/mysql/data/mysql || exec mysqld --initialize-insecure ${options.join(" ")}`;
  return {
    metadata: { name, namespace: "default" },
    spec: {
      nodeSelector: { "kubernetes.io/hostname": node },
      terminationGracePeriodSeconds: 5,
      securityContext: { runAsNonRoot: true, fsGroup: 10000 },
      initContainers: [{ ...container, name: "initialise", command: ["sh", "-c", initialise] }],
      containers: [
        {
          ...container,
          name: "mysqld",
          args: [...options, "--innodb-buffer-pool-size=64M", "--performance-schema=OFF", "--mysqlx=OFF"],
          readinessProbe: { tcpSocket: { port: 3306 }, periodSeconds: 1 },
        },
      ],
      volumes: [
        { name: "data", persistentVolumeClaim: { claimName } },
        { name: "run", emptyDir: {} },
        { name: "tmp", emptyDir: {} },
      ],
    },
  };
}

export async function query(cluster: Cluster, pod: string, sql: string): Promise<string> {
  const mysql = ["mysql", "--socket=/run/mysqld.sock", "--user=root", "--batch", "--skip-column-names", "-e", sql];
  return (await cluster.kubectl(["exec", pod, "-c", "mysqld", "--", ...mysql])).trim();
}
