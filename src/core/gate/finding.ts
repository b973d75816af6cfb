import * as z from 'zod';
import { finish, ITEMS_PER_STEP, sortSteps, type Steps, Tally } from '../base/steps';
import type { VaultPath } from '../vocabulary/paths';

const REF_KINDS = ['wikilink', 'embed', 'mdlink', 'image', 'html', 'code', 'template'] as const;
const REF_REASONS = [
  'missing',
  'ambiguous',
  'self',
  'unreviewed',
  'protected',
  'remote_embed',
  'unsafe_scheme',
  'active_content',
] as const;

type RefKind = (typeof REF_KINDS)[number];
export type RefReason = (typeof REF_REASONS)[number];

/** One reference in a body, or one construct that could act on its own, and what the gate made of it. */
export interface Ref {
  /** What it points at, as written and without the fragment; for active content its language, tag or opening mark. */
  readonly target: string;
  /** The words that a reader sees, or the beginning of the source. */
  readonly text: string;
  /** Line of the body as it was given, counted from 1. */
  readonly line: number;
  readonly kind: RefKind;
  /** The file that it leads to. */
  readonly resolved?: VaultPath;
  /** True when the gate took its effect away: brackets removed, an embed made a plain link, code or a tag made text. */
  readonly unlinked: boolean;
  /** Why it leads nowhere or may not act; absent when nothing is wrong with it. */
  readonly reason?: RefReason;
  /** What an ambiguous target could mean. */
  readonly candidates?: VaultPath[];
}

/** The shape of `Ref` in answers. */
export const refSchema = z.object({
  target: z.string(),
  text: z.string(),
  line: z.number().int().min(1),
  kind: z.enum(REF_KINDS),
  resolved: z.string().optional(),
  unlinked: z.boolean().describe('True when the reference was turned into plain text or made harmless'),
  reason: z.enum(REF_REASONS).optional(),
  candidates: z.array(z.string()).readonly().optional(),
});

/** One replacement in a body. `to` is exclusive; an insertion has `from` equal to `to`. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * What kind of rule speaks. `canonical`: how a link that leads somewhere is written. `missing`: a link that leads nowhere.
 * `closed`: a link into a folder that may not be linked. `danger`: what fetches, runs, or deceives when rendered.
 */
export type Rule = 'canonical' | 'missing' | 'closed' | 'danger';

/** A construct that a rule has something to say about. */
export interface Finding {
  readonly rule: Rule;
  readonly from: number;
  readonly to: number;
  /** What has to stand byte for byte in the current body for the construct to be left alone; null when it never is. */
  readonly key: string | null;
  /** What is reported about it; invisible characters are only counted. */
  readonly ref: FoundRef | null;
  /** All or none of them are made. */
  readonly edits: readonly Edit[];
  readonly warning?: string;
}

export interface FoundRef {
  readonly kind: RefKind;
  readonly target: string;
  readonly text: string;
  readonly resolved?: VaultPath;
  readonly reason?: RefReason;
  readonly candidates?: readonly VaultPath[];
}

/**
 * Constructs may be nested, so the sources of very long ones are not compared: together they could be far longer than the
 * body.
 */
const MAX_SOURCE = 4096;

/** The key of a construct that others may stand in. `meaning` is what its source does not tell: where a reference leads. */
export function sourceKey(
  body: string,
  from: number,
  to: number,
  meaning: readonly string[] = [],
): string | null {
  return to - from > MAX_SOURCE ? null : [body.slice(from, to), ...meaning].join('\n');
}

/** A finding of the kind that takes its effect from something dangerous. */
export function danger(
  reason: RefReason,
  from: number,
  to: number,
  key: string | null,
  ref: FoundRef,
  edits: readonly Edit[],
): Finding {
  return { rule: 'danger', from, to, key, ref: { ...ref, reason }, edits };
}

export function remove(from: number, to: number): Edit {
  return { from, to, text: '' };
}

export function insert(at: number, text: string): Edit {
  return { from: at, to: at, text };
}

/** The text with all edits made. They must be sorted and must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return finish(applySteps(text, edits));
}

/** The text with all edits made, some of them a step. They must be sorted and must not overlap. */
export function* applySteps(text: string, edits: readonly Edit[]): Steps<string> {
  // Parts are joined as they come: to join all of a long text at its end would take as long as all of them.
  const joined: string[] = [];
  let parts: string[] = [];
  let end = 0;
  const tally = new Tally(ITEMS_PER_STEP);
  for (const edit of edits) {
    parts.push(text.slice(end, edit.from), edit.text);
    end = edit.to;
    if (!tally.isFull()) continue;
    joined.push(parts.join(''));
    parts = [];
    yield;
  }
  return joined.join('') + parts.join('') + text.slice(end);
}

/**
 * The edits of all findings that do not get into each other's way, sorted, some of them a step. A finding that overlaps an earlier one is left
 * out as a whole and is found again when the body is read next.
 */
export function* compatibleSteps(findings: readonly Pick<Finding, 'edits'>[]): Steps<Edit[]> {
  const tally = new Tally(ITEMS_PER_STEP);
  const found: { readonly edit: Edit; readonly finding: Pick<Finding, 'edits'> }[] = [];
  for (const finding of findings) {
    for (const edit of finding.edits) found.push({ edit, finding });
    if (tally.isFull()) yield;
  }
  const all = yield* sortSteps(found, (a, b) => inOrder(a.edit, b.edit));
  const rejected = new Set<Pick<Finding, 'edits'>>();
  let end = 0;
  for (const { edit, finding } of all) {
    if (tally.isFull()) yield;
    if (rejected.has(finding)) continue;
    if (edit.from < end) rejected.add(finding);
    else end = edit.to;
  }
  const edits: Edit[] = [];
  for (const { edit, finding } of all) {
    if (tally.isFull()) yield;
    if (!rejected.has(finding)) edits.push(edit);
  }
  return edits;
}

/** Of two that begin at one place an insertion comes first, and else the longer one: what it writes anew holds the other. */
function inOrder(a: Edit, b: Edit): number {
  return a.from - b.from || Number(a.to > a.from) - Number(b.to > b.from) || b.to - a.to;
}
