// Generated from the API server's OpenAPI by `make generate`. Changes by hand are lost.

import type { ObjectMeta } from "../object.ts";

export interface Scale {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: ScaleSpec;
  status?: ScaleStatus;
}

export interface ScaleSpec {
  replicas?: number;
}

export interface ScaleStatus {
  replicas: number;
  selector?: string;
}
