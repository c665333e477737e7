/** What a probe is told. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

export const ok: Answer = { status: 200, text: "ok" };

export function unavailable(text: string): Answer {
  return { status: 503, text };
}
