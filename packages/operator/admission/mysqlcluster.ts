import {
  defaultMySQLCluster,
  growsStorage,
  validateMySQLClusterCreation,
  validateMySQLClusterUpdate,
  type MySQLCluster,
  type RandomInteger,
} from "@moco-ts/api";
import { allow, refuse, type MutatingHandler, type StorageClass, type ValidatingHandler } from "@moco-ts/kube";

/** Gives new clusters what the schema can't: the finalizer and a random base of server_ids. */
export function mutateMySQLCluster(randomInteger: RandomInteger): MutatingHandler<MySQLCluster> {
  return ({ operation, object }) =>
    operation === "CREATE" ? { object: defaultMySQLCluster(object, randomInteger) } : allow();
}

/** All StorageClasses. */
export type ReadStorageClasses = (signal: AbortSignal) => readonly StorageClass[] | Promise<readonly StorageClass[]>;

/** Refuses clusters that can't work and changes that can't be made. StorageClasses are read only if volumes shall grow. */
export function validateMySQLCluster(readStorageClasses: ReadStorageClasses): ValidatingHandler<MySQLCluster> {
  return async ({ operation, object, oldObject }, signal) => {
    if (operation === "CREATE") return verdict(validateMySQLClusterCreation(object));
    if (operation !== "UPDATE") return allow();
    const storageClasses = growsStorage(object, oldObject) ? await readStorageClasses(signal) : [];
    return verdict(validateMySQLClusterUpdate(object, oldObject, storageClasses));
  };
}

function verdict(causes: Parameters<typeof refuse>[0]) {
  return causes.length === 0 ? allow() : refuse(causes);
}
