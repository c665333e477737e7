/** For tests of other packages. */
export { installDefinitions, readDefinitions, testClient, testNamespace } from "./cluster.ts";
export { claimTemplate, testCluster, testJobConfig, testPolicy } from "./manifests.ts";
