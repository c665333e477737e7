import { SimulatedClock } from "@moco-ts/base";
import { createAuthority, issueLeaf, isSignedBy, type Certificate, type KeyPair, type Secret } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { AgentAuthority } from "./authority.ts";
import { decodePublished } from "./stored.ts";

const day = 24 * 3_600_000;
const request = { commonName: "moco-agent", dnsNames: ["*.moco-test.shop.svc"], usages: ["server"] as const };
const { signal } = new AbortController();
const nothing = decodePublished({});

async function setup(given?: Certificate) {
  const clock = new SimulatedClock();
  const validity = { now: clock.now(), lifetime: 3650 * day };
  const [own, adopted] = [await createAuthority("own", validity), await createAuthority("MOCO gRPC CA", validity)];
  const secrets: { own?: Secret; adopted?: Secret } = {
    own: secret({ "ca.crt": own.certificate, "ca.key": own.privateKey }),
    adopted: secret({ "ca.crt": adopted.certificate, "tls.crt": adopted.certificate, "tls.key": adopted.privateKey }),
  };
  const authority = new AgentAuthority({
    readOwn: () => secrets.own,
    readAdopted: () => secrets.adopted,
    readGiven: () => given,
    clock,
  });
  return { authority, secrets, own, adopted, clock };
}

function secret(texts: Record<string, string>): Secret {
  const encoded = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return { data: Object.fromEntries(encoded) as Record<string, string> };
}

const signer = ({ certificate }: KeyPair, ...authorities: KeyPair[]) =>
  authorities.findIndex((each) => isSignedBy(certificate, each.certificate));

test("MOCO's authority signs where there is one, and else our own; both are trusted", async () => {
  const { authority, secrets, own, adopted } = await setup();
  const first = await authority.certify(undefined, request, signal);
  expect(signer(first.leaf, own, adopted)).toBe(1);
  expect(first.authorities).toContain(own.certificate.trim());
  delete secrets.adopted;
  expect(signer((await authority.certify(undefined, request, signal)).leaf, own, adopted)).toBe(0);
});

test("our own authority is waited for while it is made, but not for long", async () => {
  const { authority, secrets, clock } = await setup();
  const { own, ...rest } = secrets;
  delete secrets.own;
  const waiting = authority.certify(undefined, request, signal);
  await clock.advance(1000);
  Object.assign(secrets, { own, ...rest });
  await clock.advance(100);
  expect((await waiting).leaf.certificate).toContain("BEGIN CERTIFICATE");
  delete secrets.own;
  const failing = expect(authority.certify(undefined, request, signal)).rejects.toThrow("not made yet");
  await clock.advance(10_000);
  await failing;
});

test("what is no authority, or is over, is not adopted", async () => {
  const { authority, secrets, own, adopted, clock } = await setup();
  const leaf = await issueLeaf(adopted, request, { now: clock.now(), lifetime: day });
  secrets.adopted = secret({ "tls.crt": leaf.certificate, "tls.key": leaf.privateKey });
  expect(signer((await authority.certify(undefined, request, signal)).leaf, own, adopted)).toBe(0);
});

test("the controller shows agents a certificate of whoever signed theirs", async () => {
  const { authority, secrets, own, adopted, clock } = await setup();
  const validity = { now: clock.now(), lifetime: day };
  const of = async (issuer: KeyPair) => ({ ...nothing, leaf: await issueLeaf(issuer, request, validity) });
  expect(signer(await authority.credentials(await of(adopted)), own, adopted)).toBe(1);
  expect(signer(await authority.credentials(await of(own)), own, adopted)).toBe(0);
  expect(signer(await authority.credentials(nothing), own, adopted)).toBe(1);
  // A third one's key is not ours. Our own authority has been published to all for the longest time.
  const stranger = await createAuthority("stranger", validity);
  const theirs = { ...(await of(stranger)), authorities: stranger.certificate };
  const credentials = await authority.credentials(theirs);
  expect(signer(credentials, own, adopted)).toBe(0);
  for (const each of [stranger, own, adopted]) expect(credentials.authorities).toContain(each.certificate.trim());
  delete secrets.adopted;
  expect(signer(await authority.credentials(nothing), own, adopted)).toBe(0);
});

test("the controller's certificate is made once, and again in time", async () => {
  const { authority, clock } = await setup();
  const first = await authority.credentials(nothing);
  expect((await authority.credentials(nothing)).certificate).toBe(first.certificate);
  await clock.advance(61 * day);
  expect((await authority.credentials(nothing)).certificate).not.toBe(first.certificate);
});

test("a certificate that is given is shown instead, and agents trust its authority", async () => {
  const clock = new SimulatedClock();
  const validity = { now: clock.now(), lifetime: day };
  const vault = await createAuthority("vault", validity);
  const leaf = await issueLeaf(vault, { commonName: "moco-controller", usages: ["client"] }, validity);
  const { authority, own, adopted, clock: later } = await setup({ ...leaf, authorities: vault.certificate });
  expect((await authority.certify(undefined, request, signal)).authorities).toContain(vault.certificate.trim());
  expect((await authority.credentials(nothing)).certificate).toBe(leaf.certificate);
  // It is over: ours is better than none.
  await later.advance(2 * day);
  expect(signer(await authority.credentials(nothing), own, adopted)).toBe(1);
});
