import type { DebianPackage } from "@moco-ts/local-kubernetes";
import type { NpmPackage } from "./npm-packages.ts";

export interface Contents {
  readonly npm: readonly NpmPackage[];
  /** Default: none. */
  readonly debian?: readonly DebianPackage[];
}

/**
 * What a program or an image is made of, as CycloneDX 1.6 says it: https://cyclonedx.org/docs/1.6/json/
 *
 * It has neither a time nor a number of its own, so that the same contents give the same file.
 */
export function billOfMaterials(type: "application" | "container", name: string, version: string, contents: Contents) {
  const { npm, debian = [] } = contents;
  const licenses = [{ license: { id: "Apache-2.0" } }];
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type, "bom-ref": `${name}@${version}`, name, version, licenses } },
    components: [...npm.map(npmComponent), ...debian.map(debianComponent)],
  };
}

function npmComponent({ name, version, license, sha512 }: NpmPackage) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    ...(license !== undefined && { licenses: [licenseOf(license)] }),
    ...(sha512 !== undefined && { hashes: [{ alg: "SHA-512", content: sha512 }] }),
  };
}

/** One licence, or an expression such as (MIT OR Apache-2.0). */
function licenseOf(license: string) {
  return / (OR|AND|WITH) /.test(license) ? { expression: license } : { license: { id: license } };
}

function debianComponent({ name, version, architecture, source }: DebianPackage) {
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`;
  const properties = [{ name: "debian:source", value: source }];
  return { type: "library", "bom-ref": purl, name, version, purl, properties };
}
