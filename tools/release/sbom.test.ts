import { expect, test } from "vitest";
import { billOfMaterials } from "./sbom.ts";

test("packages of npm and Debian have the names that scanners know them by", () => {
  const { metadata, components, ...rest } = billOfMaterials("container", "moco-controller", "1.2.3", {
    npm: [
      { name: "@grpc/grpc-js", version: "1.0.0", license: "Apache-2.0", sha512: "00ff" },
      { name: "either", version: "2.0.0", license: "(MIT OR CC0-1.0)", sha512: undefined },
    ],
    debian: [{ name: "libc6", version: "1:2.43-7+b1", architecture: "amd64", source: "glibc" }],
  });
  expect(rest).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
  expect(metadata.component).toMatchObject({ type: "container", name: "moco-controller", version: "1.2.3" });
  expect(components).toMatchObject([
    {
      purl: "pkg:npm/%40grpc/grpc-js@1.0.0",
      licenses: [{ license: { id: "Apache-2.0" } }],
      hashes: [{ alg: "SHA-512", content: "00ff" }],
    },
    { purl: "pkg:npm/either@2.0.0", licenses: [{ expression: "(MIT OR CC0-1.0)" }] },
    { purl: "pkg:deb/debian/libc6@1%3A2.43-7%2Bb1?arch=amd64" },
  ]);
});
