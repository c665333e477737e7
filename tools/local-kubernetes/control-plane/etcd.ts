/** The little that is said to etcd itself, over its JSON gateway. */
async function call<T>(port: number, path: string, body: unknown): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}/v3/${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) {
    throw new Error(`etcd ${path}: ${response.status} ${await response.text()}`);
  }
  return (await response.json()) as T;
}

/** Makes etcd forget every revision before the current one. */
export async function compactHistory(port: number): Promise<void> {
  const anyKey = Buffer.from("\0").toString("base64");
  const { header } = await call<{ header: { revision: string } }>(port, "kv/range", { key: anyKey, limit: 1 });
  await call(port, "kv/compaction", { revision: header.revision, physical: true });
}
