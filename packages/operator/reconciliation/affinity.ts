import type { Affinity } from "@moco-ts/kube";

/** Pods with these labels run on different nodes, as long as there are enough of them. */
export function spreadOverNodes(labels: Readonly<Record<string, string>>): Affinity {
  const matchExpressions = Object.entries(labels).map(([key, value]) => ({ key, operator: "In", values: [value] }));
  return {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          podAffinityTerm: { labelSelector: { matchExpressions }, topologyKey: "kubernetes.io/hostname" },
        },
      ],
    },
  };
}
