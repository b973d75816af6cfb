import type { Abstention, Citation } from './shapes';

/** An answer as it was found, before the gate, or why there is none. */
export type Outcome =
  { readonly text: string; readonly citations: readonly Citation[] } | { readonly abstained: Abstention };
