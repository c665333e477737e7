import { containerNames, type ContainerPart } from "@moco-ts/api";
import type { Container } from "@moco-ts/kube";
import { withoutBlanks } from "../../without-blanks.ts";
import type { StatefulSetInput } from "../input.ts";
import { mounts } from "../mounts.ts";
import type { PodRules } from "../rules.ts";
import { added, fixedResources } from "./added.ts";
import { keptSidecar } from "./sidecar.ts";

/** Prints the slow query log. */
export function slowLogContainer(input: StatefulSetInput, rules: PodRules): ContainerPart {
  const present = keptSidecar(input, containerNames.slowLog);
  if (present && rules.keepsSlowLog) return asItIs(present);
  return added(
    {
      name: containerNames.slowLog,
      image: present?.image ?? input.images.fluentBit,
      volumeMounts: [mounts.fluentBit, mounts.logs],
      resources: fixedResources(rules, "100m", "20Mi"),
    },
    input,
  );
}

/** What MOCO wrote of it, without what the API server added. */
function asItIs({ name, image, volumeMounts, resources = {}, securityContext }: Container): ContainerPart {
  const limited = Object.keys(resources).length > 0;
  return withoutBlanks({ name, image, volumeMounts, securityContext, ...(limited && { resources }) });
}
