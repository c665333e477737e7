import { expect, test } from "vitest";
import { parsePackages } from "./archive.ts";

const status = `Package: libc6
Status: install ok installed
Source: glibc (2.43-7)
Version: 2.43-7+b1
Architecture: amd64
Description: GNU C Library
 Package: not a field

Package: gone
Status: deinstall ok config-files
Version: 1

Package: nodejs
Status: install ok installed
Architecture: amd64
Version: 24.1
`;

test("packages that are installed, with what they were built from", () => {
  expect(parsePackages(status)).toEqual([
    { name: "libc6", version: "2.43-7+b1", architecture: "amd64", source: "glibc" },
    { name: "nodejs", version: "24.1", architecture: "amd64", source: "nodejs" },
  ]);
});
