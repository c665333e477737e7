/** Where the story plays. */
export interface Place {
  readonly kubeconfigPath: string;
  readonly namespace: string;
  /** Of mysqld. */
  readonly image: string;
  /** How a person goes on if the place is kept. */
  readonly hints: readonly string[];
  leave(): Promise<void>;
}
