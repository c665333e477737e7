/** Only for those who make manifests: it loads the schemas, which programs do without. */
export { backupPolicyDefinition, mysqlClusterDefinition, type KubernetesSchemas } from "./definition.ts";
