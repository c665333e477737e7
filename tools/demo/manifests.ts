import type { PersistentVolumeClaim, Pod } from "@moco-ts/kube";

export function claim(namespace: string, size: string): PersistentVolumeClaim {
  return {
    metadata: { name: "mysql-data", namespace },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: size } } },
  };
}

const options = ["--datadir=/var/lib/mysql/data", "--socket=/run/mysqld.sock", "--pid-file=/run/mysqld.pid"];
const securityContext = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};
const volumeMounts = [
  { name: "mysql-data", mountPath: "/var/lib/mysql" },
  { name: "run", mountPath: "/run" },
  { name: "tmp", mountPath: "/tmp" },
];

/** One mysqld without an operator: an init container makes the data directory once. */
export function mysqlPod(namespace: string, image: string): Pod {
  const initialise = `test -d /var/lib/mysql/data/mysql || exec mysqld --initialize-insecure ${options.join(" ")}`;
  return {
    metadata: { name: "mysql", namespace },
    spec: {
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 10000,
        runAsGroup: 10000,
        fsGroup: 10000,
        seccompProfile: { type: "RuntimeDefault" },
      },
      initContainers: [
        {
          name: "initialise",
          image,
          imagePullPolicy: "IfNotPresent",
          command: ["sh", "-c", initialise],
          securityContext,
          volumeMounts,
        },
      ],
      containers: [
        {
          name: "mysqld",
          image,
          imagePullPolicy: "IfNotPresent",
          args: [...options, "--innodb-buffer-pool-size=64M", "--mysqlx=OFF", "--secure-file-priv=NULL"],
          securityContext,
          volumeMounts,
          readinessProbe: { tcpSocket: { port: 3306 }, periodSeconds: 1 },
        },
      ],
      volumes: [
        { name: "mysql-data", persistentVolumeClaim: { claimName: "mysql-data" } },
        { name: "run", emptyDir: {} },
        { name: "tmp", emptyDir: {} },
      ],
    },
  };
}
