import { contentHash } from "@moco-ts/api";
import { expect, test } from "vitest";
import { testCluster } from "../testing/clusters.ts";
import { mocoCluster, mocoConfigMaps, mocoObject } from "../testing/moco.ts";
import { buildFluentBitConfigMap } from "./build.ts";

test("the ConfigMap is what MOCO makes", () => {
  expect({ apiVersion: "v1", kind: "ConfigMap", ...buildFluentBitConfigMap(mocoCluster()) }).toEqual(
    mocoObject("ConfigMap", mocoConfigMaps.fluentBit),
  );
});

test("a template of the user's is expanded; the name has the hash of the template", () => {
  const template = "[INPUT]\n  Path {{ .Path }}\n";
  expect(buildFluentBitConfigMap(testCluster({ slowQueryLogConfigTmpl: template }))).toMatchObject({
    metadata: { name: `moco-slow-log-agent-config-test.${contentHash(template)}`, namespace: "shop" },
    data: { "fluent-bit.conf": "[INPUT]\n  Path /var/log/mysql/mysql.slow\n" },
  });
});

test("a template that can't be expanded is an error that names it", () => {
  const cluster = testCluster({ slowQueryLogConfigTmpl: "{{ .Nope }}" });
  expect(() => buildFluentBitConfigMap(cluster)).toThrow(
    expect.objectContaining({
      code: "FLUENT_BIT_TEMPLATE_INVALID",
      message: expect.stringContaining("slowQueryLogConfigTmpl"),
    }),
  );
});

test("there is none without the sidecar", () => {
  expect(buildFluentBitConfigMap(testCluster({ disableSlowQueryLogContainer: true }))).toBeUndefined();
});
