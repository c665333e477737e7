import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const read = (path: string) => readFileSync(join(import.meta.dirname, "../../images", path), "utf8");

describe.each(["moco-controller", "moco-agent", "pvc-autoresizer"])("the image %s", (name) => {
  const text = read(`${name}/Containerfile`);

  test("says what it is", () => {
    for (const label of ["title", "description", "licenses", "version"]) {
      expect(text).toMatch(new RegExp(`org\\.opencontainers\\.image\\.${label}="[^"]+"`));
    }
    expect(text).toContain(`org.opencontainers.image.title="${name}"`);
  });

  test("runs as nobody in particular, by number, so that Kubernetes can tell", () => {
    expect(text.match(/^USER .*$/gm)?.at(-1)).toBe("USER 10000:10000");
  });

  test("starts one process, without a shell in between", () => {
    const [, program] = /^ENTRYPOINT \["([^"]+)"/m.exec(text)!;
    const starter = program === "node" ? "exec node " : read(`${name}/${program!.slice(1)}`);
    expect(starter).toMatch(/^exec node /m);
  });

  test("installs nothing that nobody has written down", () => {
    expect(text).not.toMatch(/^(RUN|ADD)\b/m);
  });
});
