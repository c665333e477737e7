import type { Pod } from "@moco-ts/kube";
import { systemNamespace } from "./install.ts";
import type { OperatorCluster } from "./operator-cluster.ts";

/** The sum of a series over all replicas of the controller, such as `moco_cluster_healthy{name="a",namespace="b"}`. */
export async function metric(operator: OperatorCluster, series: string): Promise<number> {
  const pods = await operator.list<Pod>("pods", "-n", systemNamespace, "-l", "app.kubernetes.io/name=moco");
  const pages = await Promise.all(
    pods.map(({ metadata }) => {
      const path = `/api/v1/namespaces/${systemNamespace}/pods/${metadata?.name}:8080/proxy/metrics`;
      return operator.kubectl("get", "--raw", path);
    }),
  );
  const lines = pages.flatMap((page) => page.split("\n")).filter((line) => line.startsWith(`${series} `));
  return lines.reduce((sum, line) => sum + Number(line.slice(series.length)), 0);
}
