// Generated from the API server's OpenAPI by `make generate`. Changes by hand are lost.

import { defineResource } from "../resource.ts";
import type { ObjectMeta } from "../object.ts";
import type { LabelSelector } from "./meta-v1.ts";

export interface AggregationRule {
  clusterRoleSelectors?: LabelSelector[];
}

export interface ClusterRole {
  aggregationRule?: AggregationRule;
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  rules?: PolicyRule[];
}

export interface ClusterRoleBinding {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  roleRef: RoleRef;
  subjects?: Subject[];
}

export interface PolicyRule {
  apiGroups?: string[];
  nonResourceURLs?: string[];
  resourceNames?: string[];
  resources?: string[];
  verbs: string[];
}

export interface Role {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  rules?: PolicyRule[];
}

export interface RoleBinding {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  roleRef: RoleRef;
  subjects?: Subject[];
}

export interface RoleRef {
  apiGroup?: string;
  kind: string;
  name: string;
}

export interface Subject {
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
}

export const ClusterRoles = defineResource<ClusterRole>("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", "Cluster");
export const ClusterRoleBindings = defineResource<ClusterRoleBinding>("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings", "Cluster");
export const Roles = defineResource<Role>("rbac.authorization.k8s.io/v1", "Role", "roles");
export const RoleBindings = defineResource<RoleBinding>("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings");
