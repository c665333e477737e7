/** What all areas that run the controller share: a cluster with it, manifests, and ways to look at what it made. */
export { images, systemNamespace } from "./install.ts";
export { manifest, mysqldContainer } from "./manifest.ts";
export { startOperatorCluster, type OperatorCluster } from "./operator-cluster.ts";
export { followPods, patience, podsOf, slowness, startedPods } from "./pods.ts";
export { Writer } from "./writer/writer.ts";
export { conditionOf, waitForCondition } from "./conditions.ts";
export { cutFromOperator, faults, heal, leader, leaderPod, podEndpoint, primaryPod } from "./faults.ts";
export { distribution, strike } from "./strike.ts";
export { Plugin } from "./plugin.ts";
export { killController } from "./killer.ts";
export { metric } from "./metrics.ts";
