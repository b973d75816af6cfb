import { useEffect, useState } from 'preact/hooks';
import type { CallError } from '../client';
import { useUi } from '../context';
import type { TokenEntry } from '../host';
import { asCallError } from '../parts/use-async';

export interface Tokens {
  /** Null before the first answer. */
  readonly list: readonly TokenEntry[] | null;
  readonly error: CallError | null;
  reload(): Promise<void>;
}

const EVERY_MS = 3_000;

/** The tokens that there are, where the host manages them; looked at again and again while `watching`. */
export function useTokens(watching: boolean): Tokens {
  const { tokens } = useUi().host;
  const [list, setList] = useState<readonly TokenEntry[] | null>(null);
  const [error, setError] = useState<CallError | null>(null);

  const reload = async (): Promise<void> => {
    if (tokens === undefined) return;
    try {
      setList(await tokens.list());
      setError(null);
    } catch (thrown) {
      setError(asCallError(thrown));
    }
  };
  useEffect(() => {
    let timer: number | undefined;
    let current = true;
    const round = async (): Promise<void> => {
      await reload();
      if (current && watching) timer = window.setTimeout(() => void round(), EVERY_MS);
    };
    void round();
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [tokens, watching]);
  return { list, error, reload };
}
