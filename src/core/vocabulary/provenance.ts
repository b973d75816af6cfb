import type { Caller } from '../access/caller';

/** Returns false for a note with `auto_tunnel: false`: no automatic tunnel starts or ends at it. */
export function allowsTunnels(frontmatter: Readonly<Record<string, unknown>>): boolean {
  const { auto_tunnel: value } = frontmatter;
  return !(typeof value === 'string' && /^(?:false|no|off)$/i.test(value));
}

/** Keys that no caller can set, neither in content nor in a `frontmatter` field: they record who did what, and when. */
export const PROTECTED_KEYS = [
  'wing',
  'hall',
  'created_at',
  'updated_at',
  'supersedes',
  'supersede_reason',
  'promoted_at',
  'promoted_by',
  'origin',
  'written_by',
  'rejected_at',
  'reject_reason',
  'rejected_by',
] as const;

/**
 * Returns the stamp of a caller for the front matter: the door, and the writer that the credential proves. A person is
 * `human:<name>`; every other caller is the token's name, followed by the claimed client in brackets.
 * @param via the maker of the text: the name of a model, or "passthrough"
 */
export function stampOf(caller: Caller, via?: string): { origin: string; written_by: string } {
  const { origin, name, human, client } = caller;
  const agent = client === undefined ? name : `${name} (${client})`;
  const by = human ? `human:${name}` : agent;
  return { origin, written_by: via === undefined ? by : `${by} via ${via}` };
}

/** Returns the name with which `isWriter` finds a caller's stamps, without the claimed client. */
export function stampName({ name, human }: Caller): string {
  return human ? `human:${name}` : name;
}

/** Returns true for the stamp of a person, in the app or on the page. No token's name looks like it. */
export function isPersonStamp(writtenBy: unknown): boolean {
  return typeof writtenBy === 'string' && writtenBy.startsWith('human:');
}

/** A stamp with the maker of the text. A "via" in brackets is part of the client's claimed name. */
const VIA = /^[^(]*(?:\([^()]*\))? via ./;

/**
 * Returns true for front matter that the ingestion pipeline has written: its stamp names the maker of the text, which no caller
 * can forge. The source that such a note names is proven; in any other note it is only claimed.
 */
export function isOfPipeline({ written_by: writer }: Readonly<Record<string, unknown>>): boolean {
  return typeof writer === 'string' && VIA.test(writer);
}

/**
 * Returns true when a stamp is of this writer: `name` is the whole stamp, or the name of the token before the client's brackets.
 * Text that a model made for the writer (` via …`) counts as the writer's. A part of a name does not match: "lap" is not "laptop".
 */
export function isWriter(stamp: unknown, name: string): boolean {
  if (typeof stamp !== 'string' || name === '') return false;
  if (stamp === name || stamp.startsWith(`${name} via `)) return true;
  // A person has no client: brackets in a person's name are part of the name.
  return !name.startsWith('human:') && stamp.startsWith(`${name} (`);
}
