// Generated from the API server's OpenAPI by `make generate`. Changes by hand are lost.

import { defineResource } from "../resource.ts";
import type { ObjectMeta } from "../object.ts";
import type { ObjectReference } from "./core-v1.ts";

export interface Endpoint {
  addresses: string[];
  conditions?: EndpointConditions;
  deprecatedTopology?: Record<string, string>;
  hints?: EndpointHints;
  hostname?: string;
  nodeName?: string;
  targetRef?: ObjectReference;
  zone?: string;
}

export interface EndpointConditions {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
}

export interface EndpointHints {
  forNodes?: ForNode[];
  forZones?: ForZone[];
}

export interface EndpointPort {
  appProtocol?: string;
  name?: string;
  port?: number;
  protocol?: string;
}

export interface EndpointSlice {
  addressType: string;
  apiVersion?: string;
  endpoints?: Endpoint[];
  kind?: string;
  metadata?: ObjectMeta;
  ports?: EndpointPort[];
}

export interface ForNode {
  name: string;
}

export interface ForZone {
  name: string;
}

export const EndpointSlices = defineResource<EndpointSlice>("discovery.k8s.io/v1", "EndpointSlice", "endpointslices");
