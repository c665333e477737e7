/** Names on claims and StorageClasses that users know. */
export const annotationKeys = {
  /** On a StorageClass: "true" lets its claims be managed. */
  enabled: "resize.topolvm.io/enabled",
  storageLimit: "resize.topolvm.io/storage_limit",
  threshold: "resize.topolvm.io/threshold",
  inodesThreshold: "resize.topolvm.io/inodes-threshold",
  increase: "resize.topolvm.io/increase",
  /** How long a claim is left alone after a resize. */
  cooldown: "resize.topolvm.io/cooldown",
  /** Names the label whose value is the group that a new claim takes its size from. */
  initialResizeGroupBy: "resize.topolvm.io/initial-resize-group-by",
  /** Names the label whose value is the group that grows together. */
  resizeGroupBy: "resize.topolvm.io/resize-group-by",
  /** Written by us: bytes that the kubelet saw in the file system at the last resize. */
  preCapacityBytes: "resize.topolvm.io/pre_capacity_bytes",
  /** Written by us: when the last resize was asked for. */
  resizedAt: "resize.topolvm.io/resized-at",
} as const;

export type AnnotationKey = (typeof annotationKeys)[keyof typeof annotationKeys];
