import { useState } from 'preact/hooks';
import { useUi } from '../client/context';

/** A text that is not saved yet, and the hash of the text that it began from. */
interface Kept {
  readonly base: string;
  readonly text: string;
}

function parseKept(json: string | null): Kept | null {
  try {
    const kept: unknown = JSON.parse(json ?? 'null');
    if (typeof kept !== 'object' || kept === null || !('base' in kept && 'text' in kept)) return null;
    const { base, text } = kept;
    return typeof base === 'string' && typeof text === 'string' ? { base, text } : null;
  } catch {
    return null; // Another version of the screens wrote it, or a person did.
  }
}

/**
 * Holds an unsaved text under a key of the session, so that it outlives its layer and a reload of the page. Returns the text, null
 * for none; the function that changes it, null to forget it; and true when it was there already.
 */
export function useKept(
  key: string,
): readonly [kept: Kept | null, keep: (next: Kept | null) => void, wasKept: boolean] {
  const { session } = useUi().host;
  const [start] = useState(() => parseKept(session.get(key)));
  const [kept, setKept] = useState(start);
  const keep = (next: Kept | null): void => {
    setKept(next);
    session.set(key, JSON.stringify(next));
  };
  return [kept, keep, start !== null];
}
