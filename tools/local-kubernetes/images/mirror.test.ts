import { expect, test } from "vitest";
import { mirrorIn } from "./mirror.ts";

test("takes the first archive of Debian and leaves out security updates and other vendors", () => {
  const text = [
    "'https://vendor.example/node_24.x/dists/nodistro/InRelease' vendor.example_InRelease 0 ",
    "'http://mirror.example/debian-security/dists/stable-security/InRelease' mirror.example_InRelease 0 ",
    "'http://mirror.example/debian/dists/stable/InRelease' mirror.example_InRelease 0 ",
    "'http://mirror.example/debian/dists/stable/main/binary-amd64/Packages.xz' mirror.example_Packages 0 ",
    "'http://other.example/debian/dists/stable/InRelease' other.example_InRelease 0 ",
  ].join("\n");
  expect(mirrorIn(text)).toBe("http://mirror.example/debian");
});

test("says so when there is none", () => {
  expect(mirrorIn("'http://mirror.example/ubuntu/dists/noble/InRelease' x 0 ")).toBeUndefined();
});
