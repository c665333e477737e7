/** secrets: the passwords of the MySQL users. The controller's Secret is where they are kept; the others are made from it. */
import {
  annotationKeys,
  clusterKeyOf,
  controllerNamespaceLabels,
  mysqlUsers,
  optionsFileName,
  optionsFileUsers,
  secretVersion,
  type MySQLCluster,
  type MySQLUser,
} from "@moco-ts/api";
import type { Configuration, Secret } from "@moco-ts/kube";
import { podPaths } from "@moco-ts/mysql";
import { namesOfCluster, ownedMetadata } from "../metadata.ts";
import type { Passwords } from "./passwords.ts";

const annotations = { [annotationKeys.secretVersion]: secretVersion };

/** Where the passwords are kept. To be created once and never changed: mysqld would not know of it. */
export function buildControllerSecret(
  cluster: MySQLCluster,
  controllerNamespace: string,
  passwords: Passwords,
): Secret {
  return {
    metadata: {
      name: namesOfCluster(cluster).controllerSecret,
      namespace: controllerNamespace,
      labels: controllerNamespaceLabels(clusterKeyOf(cluster)),
      annotations,
    },
    data: encoded(passwords),
  };
}

/** The same passwords, where Pods and people of the cluster's namespace find them. */
export function buildUsersSecret(cluster: MySQLCluster, passwords: Passwords): Configuration<Secret> {
  const metadata = { ...ownedMetadata(cluster, namesOfCluster(cluster).usersSecret), annotations };
  return { metadata, data: encoded(passwords) };
}

/** Options files with which clients in the Pods log in. */
export function buildMyCnfSecret(cluster: MySQLCluster, passwords: Passwords): Configuration<Secret> {
  const metadata = { ...ownedMetadata(cluster, namesOfCluster(cluster).myCnfSecret), annotations };
  const files = optionsFileUsers.map((user) => [optionsFileName(user), optionsFile(user, passwords[user.secretKey])]);
  return { metadata, data: encoded(Object.fromEntries(files)) };
}

/** Only the exporter has no other options file that names the socket. */
function optionsFile(user: MySQLUser, password = ""): string {
  const socket = user.name === mysqlUsers.exporter.name ? `socket="${podPaths.socket}"\n` : "";
  return `[client]\nuser="${user.name}"\npassword="${password}"\n${socket}`;
}

function encoded(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]));
}
