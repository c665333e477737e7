/** For tests of other packages. */
export { installDefinitions, readDefinitions, testClient, testNamespace } from "./cluster.ts";
export { kubectl, type Answer } from "./kubectl.ts";
export { claimTemplate, testCluster, testJobConfig, testPolicy } from "./manifests.ts";
export { wrongChanges, wrongClusters, type WrongChange, type WrongCluster } from "./wrong-clusters.ts";
