/** What the example controller and its test have to agree on. */
export const program = "example-controller";
export const namespace = "example";
export const webhookPort = 9443;
export const webhookPaths = { mutate: "/mutate-copies", validate: "/validate-copies" };

/** On a ConfigMap: how many copies of it there shall be. */
export const copiesAnnotation = "example.moco-ts/copies";
/** On a ConfigMap that is to be looked at, and on copies: whose. */
export const sourceLabel = "example.moco-ts/source";
export const copyOfLabel = "example.moco-ts/copy-of";
export const maximumCopies = 5;
