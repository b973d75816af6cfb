/** What can have the focus by name. */
export type Spot = 'list' | 'filter' | 'note' | 'wing' | 'slug' | 'hall' | 'reason' | 'gate';

/** The elements that take the focus, as far as they are drawn. */
export interface QueueRefs {
  readonly root: { current: HTMLDivElement | null };
  readonly list: { current: HTMLUListElement | null };
  readonly filter: { current: HTMLInputElement | null };
  readonly note: { current: HTMLDivElement | null };
  readonly wing: { current: HTMLInputElement | null };
  readonly slug: { current: HTMLInputElement | null };
  readonly hall: { current: HTMLButtonElement | null };
  readonly reason: { current: HTMLTextAreaElement | null };
  readonly gate: { current: HTMLElement | null };
}
