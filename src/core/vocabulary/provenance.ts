import type { Caller } from '../access/caller';

/** False when a note asks, with `auto_tunnel: false`, to be left alone by automatic tunnels: neither dug from nor to. */
export function allowsTunnels(frontmatter: Readonly<Record<string, unknown>>): boolean {
  const { auto_tunnel: wish } = frontmatter;
  return !(typeof wish === 'string' && /^(?:false|no|off)$/i.test(wish));
}

/** Keys that no caller can set, neither in content nor in a `frontmatter` field: they say who did what, and when. */
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
 * The stamp on what a caller writes: the door, and who the credential proves the caller to be. A person is `human:<name>`;
 * everyone else is the token's name, followed by the claimed client in brackets. `via` is what made the text in between: the
 * name of a model, or "passthrough".
 */
export function stampOf(caller: Caller, via?: string): { origin: string; written_by: string } {
  const { origin, name, human, client } = caller;
  const agent = client === undefined ? name : `${name} (${client})`;
  const by = human ? `human:${name}` : agent;
  return { origin, written_by: via === undefined ? by : `${by} via ${via}` };
}

/** The name under which a caller's stamps are found by `isWriter`, whatever client it claims to be. */
export function stampName({ name, human }: Caller): string {
  return human ? `human:${name}` : name;
}

/** True for the stamp of a person, in the app or on the page; no token can have a name that reads like it. */
export function isPersonStamp(writtenBy: unknown): boolean {
  return typeof writtenBy === 'string' && writtenBy.startsWith('human:');
}

/** A name, perhaps a client in brackets, and what made the text: in brackets "via" is only what a client calls itself. */
const VIA = /^[^(]*(?:\([^()]*\))? via ./;

/**
 * True for front matter that the pipeline has written: its stamp says what made the text, and no caller can have one that
 * does. What such a note says of its source can be believed, anything else is only claimed.
 */
export function isOfPipeline({ written_by: writer }: Readonly<Record<string, unknown>>): boolean {
  return typeof writer === 'string' && VIA.test(writer);
}

/**
 * True when a stamp is of this writer: `name` is the whole stamp, or the name of the token before the brackets of the client;
 * what a model made for the writer (` via …`) is the writer's. A part of a name finds nothing: "lap" is not "laptop".
 */
export function isWriter(stamp: unknown, name: string): boolean {
  if (typeof stamp !== 'string' || name === '') return false;
  if (stamp === name || stamp.startsWith(`${name} via `)) return true;
  // A person has no client; brackets in a person's name are part of it.
  return !name.startsWith('human:') && stamp.startsWith(`${name} (`);
}
