import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { BrainClient } from '../../core/registry/client';
import { useUi } from '../client/context';
import { asCallError, withRetries } from '../kit/async';
import { placeRequest } from '../place/place';
import type { BulkItem } from './decisions';
import { refusalWords } from './problem';
import { RISK_WORDS } from './triage';

/** Why a note is set apart before several are promoted. */
export interface Apart {
  readonly kind: 'taken' | 'risky';
  readonly words: string;
}

/** The outcome of a dry run of several promotions. */
interface Checked {
  /** The notes, their texts and addresses: another choice needs another check. */
  readonly key: string;
  /** The notes that are set apart, by path; all others are ready. */
  readonly apart: ReadonlyMap<string, Apart>;
}

export interface BulkCheck {
  /** Null before a check of the notes that are ticked now. */
  readonly checked: Checked | null;
  readonly running: boolean;
  /**
   * Dry-runs the promotion of each note, unless that was done. Resolves with true when they may be promoted: all are ready, or
   * the person has seen which are not. Stops and resolves with false when another choice is made or the screen is left.
   * Changes nothing.
   */
  readonly run: (items: readonly BulkItem[]) => Promise<boolean>;
}

function keyOf(items: readonly BulkItem[]): string {
  return JSON.stringify(items.map(({ entry, draft }) => [entry.path, entry.content_hash, draft]));
}

/** A check that is under way. */
interface Run {
  stopped: boolean;
}

/** Checks the promotion of several notes, one at a time until it is stopped, and returns those that are set apart. */
async function checkBulk(
  client: BrainClient,
  items: readonly BulkItem[],
  run: Readonly<Run>,
): Promise<ReadonlyMap<string, Apart>> {
  const pause = (ms: number) => new Promise<void>((resolve) => window.setTimeout(resolve, ms));
  const apart = new Map<string, Apart>();
  for (const { entry, draft } of items) {
    const { hall } = draft;
    if (run.stopped) break;
    if (hall === null) continue;
    try {
      const request = { ...placeRequest(entry.path, draft, hall), expected_hash: entry.content_hash };
      await withRetries(() => client.call('promote', { ...request, dry_run: true }), pause);
      // The list may have been read before the near-equal notes were known.
      const look = { path: entry.path, similar: false };
      const { pending } = await withRetries(() => client.call('pending', look), pause);
      const risks = (pending[0] ?? entry).risks
        .filter((risk) => risk !== 'collision')
        .map((risk) => RISK_WORDS[risk]);
      if (risks.length > 0) apart.set(entry.path, { kind: 'risky', words: risks.join(', ') });
    } catch (error) {
      const refusal = asCallError(error);
      const kind = refusal.code === 'destination_exists' ? 'taken' : 'risky';
      apart.set(entry.path, { kind, words: refusalWords(refusal) });
    }
  }
  return apart;
}

/** Holds the check of the ticked notes; it is void when another choice is made. */
export function useBulkCheck(items: readonly BulkItem[]): BulkCheck {
  const { client } = useUi();
  const [checked, setChecked] = useState<Checked | null>(null);
  const [running, setRunning] = useState(false);
  const busy = useRef<Run | null>(null);
  const key = keyOf(items);
  const current = checked?.key === key ? checked : null;
  useLayoutEffect(
    () => () => {
      if (busy.current === null) return;
      busy.current.stopped = true;
      busy.current = null;
      setRunning(false);
    },
    [key],
  );
  return {
    checked: current,
    running,
    run: async (asked) => {
      if (current !== null) return true;
      if (busy.current !== null) return false;
      const run: Run = { stopped: false };
      busy.current = run;
      setRunning(true);
      try {
        const ready = asked.filter(({ obstacle }) => obstacle === null);
        const apart = await checkBulk(client, ready, run);
        if (run.stopped) return false;
        setChecked({ key, apart });
        return apart.size === 0;
      } finally {
        if (busy.current === run) {
          busy.current = null;
          setRunning(false);
        }
      }
    },
  };
}
