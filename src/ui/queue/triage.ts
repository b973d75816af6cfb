import type { KeyedTexts } from '../client/host';
import { parseWriter } from '../kit/writer';
import { type Entry, matchesFilter } from './entry';

export type Risk = Entry['risks'][number];

/** The risks in words, the gravest first. */
export const RISK_WORDS: Readonly<Record<Risk, string>> = {
  active_content: 'Active content',
  made_harmless: 'Made harmless',
  collision: 'Address taken',
  near_duplicate: 'Like another',
  rejected_before: 'Rejected before',
  unverified: 'No quote found',
  link_removed: 'Loses a link',
};
export const ALL_RISKS: readonly Risk[] = [
  'active_content',
  'made_harmless',
  'collision',
  'near_duplicate',
  'rejected_before',
  'unverified',
  'link_removed',
];

/** The marks of notes without a writer, a wing or a risk, among the choices of a filter. */
export const NONE = '';

/** Which notes of the queue are listed, and in which order. */
export interface Triage {
  /** The name of the writer; `NONE` for notes without one, null for all. */
  readonly agent: string | null;
  readonly wing: string | null;
  /** `any` for notes with at least one, `NONE` for notes without any. */
  readonly risk: Risk | 'any' | typeof NONE | null;
  readonly group: 'agent' | 'wing' | 'risk' | null;
  readonly order: 'age' | 'risk';
  /** True to list the notes that are put off, and no others. */
  readonly snoozed: boolean;
}

export const NO_TRIAGE: Triage = {
  agent: null,
  wing: null,
  risk: null,
  group: null,
  order: 'age',
  snoozed: false,
};

/** Returns the name of the writer of a note, as filters and groups use it. */
export function agentOf({ written_by: writtenBy }: Entry): string {
  return writtenBy === undefined ? NONE : parseWriter(writtenBy).name;
}

export function wingOf({ suggested: { wing = NONE } }: Entry): string {
  return wing;
}

/** Returns true when a note is listed with this filter. */
export function isListed(entry: Entry, filter: string, triage: Triage): boolean {
  const { agent, wing, risk, snoozed } = triage;
  if ((entry.snoozed_until !== undefined) !== snoozed) return false;
  if (agent !== null && agentOf(entry) !== agent) return false;
  if (wing !== null && wingOf(entry) !== wing) return false;
  return hasRisk(entry, risk) && matchesFilter(entry, filter);
}

function hasRisk({ risks }: Entry, risk: Triage['risk']): boolean {
  if (risk === null) return true;
  if (risk === 'any') return risks.length > 0;
  return risk === NONE ? risks.length === 0 : risks.includes(risk);
}

/** Returns the gravest risk of a note; null without any. */
function worstRisk({ risks }: Entry): Risk | null {
  return ALL_RISKS.find((risk) => risks.includes(risk)) ?? null;
}

function gravity(entry: Entry): number {
  const worst = worstRisk(entry);
  return worst === null ? ALL_RISKS.length : ALL_RISKS.indexOf(worst);
}

/** Returns the heading under which a note is listed; null without groups. */
export function groupOf(entry: Entry, group: Triage['group']): string | null {
  if (group === null) return null;
  if (group === 'agent') return agentOf(entry) || 'No writer';
  if (group === 'wing') return wingOf(entry) || 'No wing';
  const worst = worstRisk(entry);
  return worst === null ? 'No risk' : RISK_WORDS[worst];
}

/** Returns the listed notes in their order. Notes of equal rank keep the order that they had: the oldest first. */
export function arrange(entries: readonly Entry[], filter: string, triage: Triage): readonly Entry[] {
  const listed = entries.filter((entry) => isListed(entry, filter, triage));
  const { group, order } = triage;
  if (group === null && order === 'age') return listed;
  const rank = new Map(listed.map((entry) => [entry, gravity(entry)]));
  const byRisk = (a: Entry, b: Entry): number => (rank.get(a) ?? 0) - (rank.get(b) ?? 0);
  const byGroup = (a: Entry, b: Entry): number => {
    if (group === 'risk') return byRisk(a, b);
    const [one, other] = group === 'agent' ? [agentOf(a), agentOf(b)] : [wingOf(a), wingOf(b)];
    // Notes without a writer or a wing come last.
    return Number(one === NONE) - Number(other === NONE) || one.localeCompare(other);
  };
  return listed.sort((a, b) => (group === null ? 0 : byGroup(a, b)) || (order === 'risk' ? byRisk(a, b) : 0));
}

/** Returns true when something other than the order leaves notes out. */
export function isNarrowed({ agent, wing, risk }: Triage): boolean {
  return agent !== null || wing !== null || risk !== null;
}

/** Returns what the filter and the order are, in words; empty when all notes are listed, the oldest first. */
export function triageWords({ agent, wing, risk, group, order }: Triage): string {
  const risky =
    risk === null ? '' : risk === 'any' ? 'any risk' : risk === NONE ? 'no risk' : RISK_WORDS[risk];
  return [
    agent === NONE ? 'no writer' : (agent ?? ''),
    wing === NONE ? 'no wing' : (wing ?? ''),
    risky.toLowerCase(),
    group === null ? '' : `by ${group}`,
    order === 'risk' ? 'risk first' : '',
  ]
    .filter((words) => words !== '')
    .join(', ');
}

/** A kept filter. */
export interface SavedFilter {
  readonly text: string;
  readonly triage: Triage;
}

const KEY = 'queue.filters';
/** The device keeps at most this many filters, the newest first. */
const MAX_SAVED = 12;

/** Reads the filters of this device; none when the stored text is invalid. */
export function savedFilters(preferences: KeyedTexts): readonly SavedFilter[] {
  try {
    const saved: unknown = JSON.parse(preferences.get(KEY) ?? '[]');
    return Array.isArray(saved) ? saved.flatMap(readFilter) : [];
  } catch {
    return []; // Another version of the screens wrote it, or a person did.
  }
}

function readFilter(value: unknown): SavedFilter[] {
  if (typeof value !== 'object' || value === null || !('text' in value) || !('triage' in value)) return [];
  const { text, triage: given } = value;
  if (typeof text !== 'string' || typeof given !== 'object' || given === null) return [];
  const { agent, wing, risk, group, order } = { ...NO_TRIAGE, ...given };
  const isText = (field: unknown): boolean => field === null || typeof field === 'string';
  const isRisk = risk === null || risk === 'any' || risk === NONE || ALL_RISKS.includes(risk);
  const isGroup = group === null || ['agent', 'wing', 'risk'].includes(group);
  if (!isText(agent) || !isText(wing) || !isRisk || !isGroup || !['age', 'risk'].includes(order)) return [];
  return [{ text, triage: { agent, wing, risk, group, order, snoozed: false } }];
}

/** Returns the words by which a kept filter is chosen. */
export function filterName({ text, triage }: SavedFilter): string {
  const words = triageWords(triage);
  const typed = text.trim();
  return [typed === '' ? '' : `“${typed}”`, words].filter((part) => part !== '').join(', ');
}

/** Keeps a filter on this device, or with `keep` false removes it; returns those that are kept. */
export function keepFilter(
  preferences: KeyedTexts,
  filter: SavedFilter,
  keep: boolean,
): readonly SavedFilter[] {
  const name = filterName(filter);
  const others = savedFilters(preferences).filter((other) => filterName(other) !== name);
  const kept = (
    keep ? [{ ...filter, triage: { ...filter.triage, snoozed: false } }, ...others] : others
  ).slice(0, MAX_SAVED);
  preferences.set(KEY, JSON.stringify(kept));
  return kept;
}
