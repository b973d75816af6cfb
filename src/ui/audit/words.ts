import { localDate } from '../../core/base/time';
import { outcomeOfCall } from '../../core/operation/descriptors';
import type { Answer } from '../../core/registry/client';
import { errorWords } from '../kit/error-words';
import { day } from '../kit/words';

/** One call in the audit log. */
export type AuditCall = Answer<'audit'>['entries'][number];

type Outcome =
  | { readonly kind: 'read' | 'changed' | 'tried'; readonly words: string }
  | { readonly kind: 'failed'; readonly words: string };

/** Returns the outcome of a call in a few words; for a failed call, those of the error code that its caller got. */
export function outcomeOf(call: AuditCall): Outcome {
  const kind = outcomeOfCall(call);
  switch (kind) {
    case 'failed':
      return { kind, words: errorWords(call.error ?? '') };
    case 'read':
      return { kind, words: 'Read' };
    case 'tried':
      return { kind, words: 'Tried only' };
    case 'changed':
      return { kind, words: 'Changed' };
  }
}

/** Returns the agent of a call: the verified name, and as `claim` the name that the client gives itself. */
export function agentOf({ actor, client }: AuditCall): { readonly name: string; readonly claim?: string } {
  const name = actor.startsWith('human:') ? actor.slice('human:'.length) : actor;
  if (client === undefined) return { name };
  return { name, claim: client.version === undefined ? client.name : `${client.name} ${client.version}` };
}

/** The subject of a call: `main` in normal text, `aside` muted. `path` is set when it is exactly one note. */
interface Subject {
  readonly main: string;
  readonly aside?: string;
  readonly path?: string;
}

/** Returns the note or the query of a call, taken from its answer or, when it failed, from its arguments. */
export function subjectOf(call: AuditCall): Subject {
  const { query, path, wing, hall, slug, skill } = call.args;
  if (query !== undefined) return { main: queryWords(query) };
  const [first, ...more] = call.paths;
  if (first !== undefined) {
    if (more.length === 0) return noteSubject(first);
    const others = more.length === 1 ? '1 more' : `${more.length} more`;
    return { ...noteSubject(first), aside: `and ${others}` };
  }
  if (typeof path === 'string') return noteSubject(path);
  if (typeof slug === 'string') return withAside(slug, [wing, hall]);
  if (typeof wing === 'string') return withAside(wing, [hall]);
  if (typeof skill === 'string') return { main: skill, aside: 'skill' };
  return { main: '' };
}

function queryWords(query: AuditCall['args'][string]): string {
  if (typeof query === 'string') return `“${query}”`;
  // The log keeps only the length of a long text.
  if (typeof query === 'object' && query !== null) return `A query of ${query.chars} characters`;
  return '';
}

/** Returns the name of a note as `main` and its folder as `aside`: `zfs-arc-size` and `homelab / facts`. */
function noteSubject(path: string): Subject {
  const segments = path.split('/');
  const name = (segments.pop() ?? path).replace(/\.md$/, '');
  const place = segments[0] === 'wiki' ? segments.slice(1) : segments;
  return { main: name, path, ...(place.length > 0 && { aside: place.join(' / ') }) };
}

function withAside(main: string, parts: readonly unknown[]): Subject {
  const aside = parts.filter((part): part is string => typeof part === 'string').join(' / ');
  return aside === '' ? { main } : { main, aside };
}

const DAY_MS = 86_400_000;

/** Returns a day in words: `Today, 20 Nov 2026`, `Yesterday, 19 Nov 2026`, `18 Nov 2026`. */
export function dayWords(time: string, now: Date): string {
  const date = localDate(new Date(time));
  if (date === localDate(now)) return `Today, ${day(time)}`;
  if (date === localDate(new Date(now.getTime() - DAY_MS))) return `Yesterday, ${day(time)}`;
  return day(time);
}
