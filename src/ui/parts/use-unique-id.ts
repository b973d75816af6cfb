import { useState } from 'preact/hooks';

let last = 0;

/**
 * An id that no other element of the document has. Preact's own `useId` counts anew in every tree, and a layer is a tree
 * of its own: a label in it would name a field behind it.
 */
export function useUniqueId(): string {
  return useState(() => `brain-${++last}`)[0];
}
