import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { npmPackagesOf, type LockFile } from "./npm-packages.ts";

const lock: LockFile = {
  packages: {
    "packages/app": { dependencies: { "@us/base": "*", log: "^1" } },
    "packages/base": { dependencies: { text: "^2" } },
    "node_modules/@us/base": { link: true, resolved: "packages/base" },
    "node_modules/log": { version: "1.0.0", license: "MIT", integrity: "sha512-AQI=", dependencies: { text: "^1" } },
    "node_modules/log/node_modules/text": { version: "1.5.0" },
    "node_modules/text": { version: "2.0.0", optionalDependencies: { absent: "1" } },
    "node_modules/tests": { version: "3.0.0" },
  },
};

test("what is used is found through our own packages, in the versions that each one gets", () => {
  expect(npmPackagesOf(lock, "packages/app")).toEqual([
    { name: "log", version: "1.0.0", license: "MIT", sha512: "0102" },
    { name: "text", version: "2.0.0", license: undefined, sha512: undefined },
    { name: "text", version: "1.5.0", license: undefined, sha512: undefined },
  ]);
});

test("the controller's packages have versions, licences and digests", () => {
  const real = JSON.parse(readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8")) as LockFile;
  const packages = npmPackagesOf(real, "packages/operator");
  expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(["undici", "mysql2", "commander", "pino"]));
  expect(packages.filter(({ version, license, sha512 }) => !version || !license || sha512?.length !== 128)).toEqual([]);
});
