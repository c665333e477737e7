import { expect, test } from "vitest";
import { testCluster } from "../testing/clusters.ts";
import { mocoCluster, mocoObject } from "../testing/moco.ts";
import { buildCertificateSecret, buildGrpcSecret, certificateRequest } from "./build.ts";

const certificate = { authorities: "...", leaf: { certificate: "...", privateKey: "..." }, since: 0 };

test("the Secret that Pods mount is what MOCO makes", () => {
  const secret = buildGrpcSecret(mocoCluster(), certificate);
  expect({ apiVersion: "v1", kind: "Secret", type: "Opaque", ...secret }).toEqual(
    mocoObject("Secret", "moco-full-grpc"),
  );
});

test("the controller keeps the certificate in its own namespace, with the labels by which it is cleaned up", () => {
  expect(buildCertificateSecret(testCluster(), "moco-system", certificate)).toEqual({
    metadata: {
      name: "moco-agent-shop.test",
      namespace: "moco-system",
      labels: {
        "app.kubernetes.io/name": "mysql",
        "app.kubernetes.io/instance": "test",
        "app.kubernetes.io/created-by": "moco",
        "app.kubernetes.io/instance-namespace": "shop",
      },
      annotations: { "moco.cybozu.com/authorities-since": "1970-01-01T00:00:00Z" },
    },
    type: "kubernetes.io/tls",
    data: { "ca.crt": "Li4u", "tls.crt": "Li4u", "tls.key": "Li4u" },
  });
});

test("the certificate is valid for every instance and for both Services, to serve only", () => {
  expect(certificateRequest(testCluster())).toEqual({
    commonName: "moco-agent",
    dnsNames: [
      "*.moco-test.shop.svc",
      "moco-test-primary.shop",
      "moco-test-primary.shop.svc",
      "moco-test-primary.shop.svc.cluster.local",
      "moco-test-replica.shop",
      "moco-test-replica.shop.svc",
      "moco-test-replica.shop.svc.cluster.local",
    ],
    usages: ["server"],
  });
});

test("the certificate of a cluster named controller is not the controller's", () => {
  expect(certificateRequest(testCluster({}, { name: "controller" })).commonName).not.toBe("moco-controller");
});
