/** Who we are to the API server. */
export const apiGroup = "moco.cybozu.com";
export const apiVersion = `${apiGroup}/v1beta2`;

/** The manager under which resources of a MySQLCluster are applied: the one of clusters that exist already. */
export const fieldManager = "moco-controller";

/** Held by every MySQLCluster until what lies outside of its namespace is removed. */
export const finalizer = `${apiGroup}/mysqlcluster`;

/** The Lease by which controllers agree who acts. */
export const leaseName = "moco";
