import { count, counted } from '../parts/words';
import { type NoteRef, reasonWords } from '../preview/note-links';

/** What a person can do about a finding. */
export type Remedy = 'create' | 'choose' | null;

/** One thing that the gate would take the effect from, however often it stands in the note. */
export interface Finding {
  readonly key: string;
  readonly target: string;
  /** The words of the note. */
  readonly text: string;
  readonly why: string;
  readonly kind: 'link' | 'image' | 'address' | 'active';
  readonly remedy: Remedy;
  readonly candidates: readonly string[];
}

/** What the gate has found wrong, each target once, in the order of the text. */
export function findingsOf(refs: readonly NoteRef[]): Finding[] {
  const found = new Map<string, Finding>();
  for (const ref of refs) {
    const { reason, target, text, candidates = [] } = ref;
    if (reason === undefined) continue;
    const key = `${reason} ${target}`;
    if (found.has(key)) continue;
    found.set(key, {
      key,
      target,
      text: text.trim() === '' ? target : text,
      why: reasonWords(ref),
      kind: kindOf(reason),
      remedy: remedyOf(ref),
      candidates,
    });
  }
  return [...found.values()];
}

function remedyOf({ reason, kind, target, candidates = [] }: NoteRef): Remedy {
  if (reason === 'ambiguous') return candidates.length > 0 ? 'choose' : null;
  const isFile = /\.(?!md$)[a-z0-9]{1,5}$/i.test(target);
  return reason === 'missing' && !isFile && (kind === 'wikilink' || kind === 'mdlink') ? 'create' : null;
}

function kindOf(reason: NonNullable<NoteRef['reason']>): Finding['kind'] {
  if (reason === 'remote_embed') return 'image';
  if (reason === 'unsafe_scheme') return 'address';
  return reason === 'active_content' ? 'active' : 'link';
}

/** As many findings as the service names of one note; those that are wrong come first. */
const MAX_NAMED = 200;

/** True when the service may have left findings out: there are as many as it names at most, and all of them are wrong. */
export function isCut(refs: readonly NoteRef[]): boolean {
  return refs.length >= MAX_NAMED && refs.every(({ reason }) => reason !== undefined);
}

/** `2 links, 1 remote image`; with `cut`, `200 or more links`. */
export function findingWords(findings: readonly Finding[], cut = false): string {
  const number = (kind: Finding['kind']): number =>
    findings.filter((finding) => finding.kind === kind).length;
  const parts = [
    [number('link'), 'link'],
    [number('image'), 'remote image'],
    [number('address'), 'unsafe address', 'unsafe addresses'],
    [number('active'), 'active part'],
  ] as const;
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, noun, plural = `${noun}s`]) =>
      cut ? `${count(amount)} or more ${plural}` : counted(amount, noun, plural),
    )
    .join(', ');
}
