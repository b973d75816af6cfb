import { useRef, useState } from 'preact/hooks';
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
   * the person has seen which are not. Changes nothing.
   */
  readonly run: (items: readonly BulkItem[]) => Promise<boolean>;
}

function keyOf(items: readonly BulkItem[]): string {
  return JSON.stringify(items.map(({ entry, draft }) => [entry.path, entry.content_hash, draft]));
}

/** Checks the promotion of several notes, one at a time, and returns those that are set apart. */
async function checkBulk(
  client: BrainClient,
  items: readonly BulkItem[],
  pause: (ms: number) => Promise<void>,
): Promise<ReadonlyMap<string, Apart>> {
  const apart = new Map<string, Apart>();
  for (const { entry, draft } of items) {
    const { hall } = draft;
    if (hall === null) continue;
    try {
      const request = { ...placeRequest(entry.path, draft, hall), expected_hash: entry.content_hash };
      await withRetries(() => client.call('promote', { ...request, dry_run: true }), pause);
      const risks = entry.risks.filter((risk) => risk !== 'collision').map((risk) => RISK_WORDS[risk]);
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
  const isBusy = useRef(false);
  const current = checked?.key === keyOf(items) ? checked : null;
  return {
    checked: current,
    running,
    run: async (asked) => {
      if (current !== null) return true;
      if (isBusy.current) return false;
      isBusy.current = true;
      setRunning(true);
      try {
        const ready = asked.filter(({ obstacle }) => obstacle === null);
        const pause = (ms: number) => new Promise<void>((resolve) => window.setTimeout(resolve, ms));
        const apart = await checkBulk(client, ready, pause);
        setChecked({ key: keyOf(asked), apart });
        return apart.size === 0;
      } finally {
        isBusy.current = false;
        setRunning(false);
      }
    },
  };
}
