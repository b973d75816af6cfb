import type { BrainClient } from '../client';
import type { UiHost } from '../host';
import { canTakeBack, type Decided } from './decisions';

/** What was decided together, the latest last. */
export type Decision = readonly Decided[];

const KEY = 'queue.decisions';
/** Older decisions are forgotten beyond so many notes; the last decision is kept whole, however many it took. */
const MAX_NOTES = 500;

/** What was decided in this session, the latest last; nothing where what was kept cannot be read. */
export function keptDecisions(session: UiHost['session']): readonly Decision[] {
  const text = session.get(KEY);
  if (text === null) return [];
  try {
    const made: unknown = JSON.parse(text);
    return Array.isArray(made) && made.every(isDecision) ? made : [];
  } catch {
    return []; // Another version of the screens wrote it, or a person did.
  }
}

/** Remembers what was decided, for a screen that is opened anew. */
export function keepDecisions(session: UiHost['session'], made: readonly Decision[]): void {
  const kept: Decision[] = [];
  let notes = 0;
  for (const decision of [...made].reverse()) {
    notes += decision.length;
    if (notes > MAX_NOTES && kept.length > 0) break;
    kept.unshift(decision);
  }
  session.set(KEY, JSON.stringify(kept));
}

/** The decisions without some of their notes; one without any note is none. */
export function withoutNotes(made: readonly Decision[], gone: readonly Decided[]): readonly Decision[] {
  const out = new Set(gone.map(({ kind, path }) => `${kind} ${path}`));
  return made
    .map((decision) => decision.filter(({ kind, path }) => !out.has(`${kind} ${path}`)))
    .filter((decision) => decision.length > 0);
}

/**
 * The notes at the end of what was decided that can no longer be put back, up to the first that can: after a reload others may
 * have moved them, and another vault may be served at the same address.
 * @throws CallError when the service could not tell.
 */
export async function noLongerBack(
  client: BrainClient,
  made: readonly Decision[],
): Promise<readonly Decided[]> {
  const gone: Decided[] = [];
  for (const one of made.flat().reverse()) {
    if (await canTakeBack(client, one)) break;
    gone.push(one);
  }
  return gone;
}

function isDecision(value: unknown): value is Decision {
  return Array.isArray(value) && value.length > 0 && value.every(isDecided);
}

function isDecided(value: unknown): value is Decided {
  if (typeof value !== 'object' || value === null) return false;
  if (!('title' in value && 'kind' in value && 'path' in value && 'from' in value)) return false;
  const { title, kind, path, from } = value;
  const isKind = kind === 'promoted' || kind === 'rejected';
  return isKind && [title, path, from].every((text) => typeof text === 'string');
}
