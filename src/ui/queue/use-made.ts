import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useUi } from '../context';
import type { Decided } from './decisions';
import { type Decision, keepDecisions, keptDecisions, noLongerBack, withoutNotes } from './kept-decisions';

export interface Made {
  /** The decision that comes next to be taken back; null when there is none, and before it is known that it can be. */
  readonly last: Decision | null;
  readonly latest: () => Decision | null;
  readonly add: (decision: Decision) => void;
  /** These notes are back in the queue, or can never be. */
  readonly drop: (notes: readonly Decided[]) => void;
}

/**
 * What was decided in this session, also before the screen was opened: kept where the host keeps such things, and offered
 * only once the service has said that it could be taken back. It is asked again with another `revision` when it could not tell.
 */
export function useMade(revision: number): Made {
  const { client, host } = useUi();
  const [made, setMade] = useState<readonly Decision[]>([]);
  const shown = useRef(made);
  const known = useRef(false);

  const put = useCallback(
    (next: readonly Decision[]): void => {
      keepDecisions(host.session, next);
      shown.current = next;
      setMade(next);
    },
    [host],
  );
  const drop = useCallback(
    (notes: readonly Decided[]) => put(withoutNotes(keptDecisions(host.session), notes)),
    [host, put],
  );

  useEffect(() => {
    const kept = keptDecisions(host.session);
    if (kept.length === 0) known.current = true;
    if (known.current) return undefined;
    let stands = true;
    noLongerBack(client, kept).then(
      (gone) => {
        if (!stands) return;
        known.current = true;
        drop(gone);
      },
      // What keeps the service from answering is told by the list; nothing is offered meanwhile.
      () => undefined,
    );
    return () => {
      stands = false;
    };
  }, [client, host, drop, revision]);

  return {
    last: made.at(-1) ?? null,
    latest: () => shown.current.at(-1) ?? null,
    add: (decision) => {
      if (decision.length > 0) put([...keptDecisions(host.session), decision]);
    },
    drop,
  };
}
