import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ImageLayout, mediaTypes, type Manifest } from "./layout.ts";

let layout: ImageLayout;

beforeEach(async () => {
  layout = new ImageLayout(await mkdtemp(join(tmpdir(), "layout-")));
  await layout.create();
});

afterEach(() => rm(layout.directory, { recursive: true }));

async function manifest(content: string): Promise<Manifest> {
  const config = await layout.addJson(mediaTypes.config, { content, rootfs: { type: "layers", diff_ids: [] } });
  return { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: [] };
}

test("an image is found by its reference, with what it was made from", async () => {
  const added = await layout.add("localhost/one:1", "source of one", await manifest("one"));
  await layout.add("localhost/two:1", "source of two", await manifest("two"));
  expect(await layout.find("localhost/one:1")).toEqual(added);
  expect(await layout.find("localhost/one:1")).toMatchObject({ source: "source of one" });
  expect(await layout.find("localhost/three:1")).toBeUndefined();
});

test("a new image takes the reference over, and pruning removes what only the old one used", async () => {
  const old = await layout.add("localhost/one:1", "old", await manifest("old"));
  const fresh = await layout.add("localhost/one:1", "new", await manifest("new"));
  await writeFile(layout.blob(`sha256:${"0".repeat(64)}`), "left behind by a build that was killed");
  await writeFile(join(layout.directory, "layer.1"), "half of a layer");
  await layout.prune();
  expect(await layout.index()).toEqual([fresh.descriptor]);
  expect(await layout.config(fresh)).toMatchObject({ content: "new" });
  expect((await readdir(layout.directory)).sort()).toEqual(["blobs", "index.json", "oci-layout"]);
  const blobs = await readdir(join(layout.directory, "blobs", "sha256"));
  expect(blobs.sort()).toEqual(
    [fresh.descriptor.digest, fresh.manifest.config.digest].map((digest) => digest.replace("sha256:", "")).sort(),
  );
  expect(blobs).not.toContain(old.descriptor.digest.replace("sha256:", ""));
});
