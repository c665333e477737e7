/** A controller runtime for Node. It knows no MySQL. */
export * from "./types/object.ts";
export * from "./types/resource.ts";
export * from "./types/generated/index.ts";
export * from "./rest/client.ts";
export * from "./rest/errors.ts";
export * from "./rest/cluster-config.ts";
export { connect } from "./rest/connect.ts";
export type { ConnectOptions } from "./rest/connection.ts";
export { inClusterConfig, loadConfig, type InClusterOptions } from "./rest/in-cluster.ts";
export { loadKubeconfig, type KubeconfigOptions } from "./rest/kubeconfig.ts";
export { kubeconfigPaths, readKubeconfigNames, type KubeconfigPlace } from "./rest/kubeconfig-file.ts";
export type { KubeconfigOverrides } from "./rest/kubeconfig-overrides.ts";
export type { ExecOptions, Terminal } from "./rest/exec.ts";
export { createPodStreams, type LogOptions, type PodStreams } from "./rest/pod-streams.ts";
export * from "./queue/queue.ts";
export { type Priority } from "./queue/lanes.ts";
export {
  Applier,
  type Applied,
  type ApplierOptions,
  type ApplyObjectOptions,
  type FieldChange,
} from "./apply/applier.ts";
export type { Configuration, PartOf } from "./apply/configuration.ts";
export { sameValue } from "./apply/equality.ts";
export { controllerOf, controllerReference } from "./apply/owner.ts";
export { prune, type PrunableKind, type Pruned, type PruneOptions } from "./apply/prune.ts";
export * from "./lease/election.ts";
export * from "./lease/leadership.ts";
export { defaultLeaseTimes, type LeaseTimes } from "./lease/record.ts";
export { Reflector, type ReflectorOptions } from "./reflector/reflector.ts";
export { type Sink } from "./reflector/sink.ts";
export { isEarlier } from "./reflector/resource-version.ts";
export * from "./cache/store.ts";
export * from "./cache/informer.ts";
export { createInformer, type InformerOptions } from "./cache/create-informer.ts";
export { type Transform } from "./cache/transform.ts";
export { guardClient } from "./lease/guarded-client.ts";
export { EventRecorder, type EventRecorderOptions } from "./events/recorder.ts";
export type { EventContent } from "./events/correlate.ts";
export {
  createController,
  type Controller,
  type ControllerOptions,
  type ReconcileContext,
} from "./controller/controller.ts";
export { done, requeue, requeueAfter, TerminalError, type ObjectEvent, type Outcome } from "./controller/outcome.ts";
export * from "./controller/change.ts";
export * from "./controller/source.ts";
export { createManager, type Manager, type ManagerOptions } from "./manager/manager.ts";
export type { Component } from "./manager/component.ts";
export type { HealthCheck, HealthChecks } from "./manager/health.ts";
export { parseAddress, type Address } from "./manager/address.ts";
export { runProgram, type ProcessLike } from "./manager/program.ts";
export * from "./webhook/admission.ts";
export type { Mutation, MutatingHandler, ValidatingHandler } from "./webhook/handler.ts";
export { WebhookServer, type WebhookServerOptions } from "./webhook/server.ts";
export {
  createWebhooks,
  type TrustedBy,
  type WebhookCertificate,
  type Webhooks,
  type WebhooksOptions,
} from "./webhook/create-webhooks.ts";
export { CaBundles, type CaBundlesOptions, type WebhookTarget } from "./pki/ca-bundle.ts";
export {
  DirectoryCertificate,
  SecretCertificate,
  type DirectoryCertificateOptions,
  type SecretCertificateOptions,
} from "./pki/given-certificate.ts";
export { isPair, isSignedBy, joinBundle, lifetimeOf, splitBundle, type Lifetime } from "./pki/inspect.ts";
export { createAuthority, issueLeaf, type LeafRequest, type Validity } from "./pki/issue.ts";
export { ManagedCertificate, type ManagedCertificateOptions } from "./pki/managed-certificate.ts";
export { CurrentCertificate, type Certificate, type CertificateSource, type KeyPair } from "./pki/source.ts";
export { isGoodLeaf, type Keys } from "./pki/rotation.ts";
export { bundleOf, decodeKeys } from "./pki/stored-keys.ts";
