import * as z from 'zod';
import { finish, ITEMS_PER_STEP, sortSteps, type Steps, Tally } from '../base/steps';
import type { VaultPath } from '../vocabulary/paths';

export const REF_KINDS = [
  'wikilink',
  'embed',
  'mdlink',
  'image',
  'html',
  'code',
  'template',
  'property',
] as const;
export const REF_REASONS = [
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

/** The reasons of findings that fetch, run or deceive. */
const ACTIVE: ReadonlySet<RefReason> = new Set(['active_content', 'unsafe_scheme', 'remote_embed']);

/** Returns true for a reference that fetches, runs or deceives when the note is shown. */
export function isActiveRef({ reason }: Pick<Ref, 'reason'>): boolean {
  return reason !== undefined && ACTIVE.has(reason);
}

/** A reference or an active construct in a body, and the gate's decision on it. */
export interface Ref {
  /** The target as written and without the fragment; for active content its language, tag or opening mark, for a property its key. */
  readonly target: string;
  /** The shown words, or the beginning of the source. */
  readonly text: string;
  /** The line in the original body, counted from 1. */
  readonly line: number;
  readonly kind: RefKind;
  /** The file to which it leads. */
  readonly resolved?: VaultPath;
  /** True when the gate removed its effect: without brackets, a plain link for an embed, text for code or a tag. */
  readonly unlinked: boolean;
  /** The reason why it leads nowhere or may not act; absent for a sound one. */
  readonly reason?: RefReason;
  /** The possible meanings of an ambiguous target. */
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
 * The kind of rule. `canonical`: the form of a link that leads somewhere. `missing`: a link that leads nowhere. `closed`: a link
 * into a folder that may not be linked. `danger`: a construct that fetches, runs, or deceives when rendered.
 */
export type Rule = 'canonical' | 'missing' | 'closed' | 'danger';

/** A construct that a rule reports. */
export interface Finding {
  readonly rule: Rule;
  readonly from: number;
  readonly to: number;
  /** Identifies the construct: one with an equal key in the current body is left alone. Null for one that never is. */
  readonly key: Key | null;
  /** Its report; null for invisible characters, which are only counted. */
  readonly ref: FoundRef | null;
  /** Applied together or not at all. */
  readonly edits: readonly Edit[];
  readonly warning?: string;
}

/**
 * The key of a construct: its source, and what its source does not show. Neither is copied for it, because many constructs may share
 * a long one.
 */
export interface Key {
  /** A slice of the body. */
  readonly source: string;
  /** The digest of a reference's addresses, the place of a tag in its section, or ''. */
  readonly meaning: string;
}

/** A `Ref` without its line and the decision. */
export interface FoundRef {
  readonly kind: RefKind;
  readonly target: string;
  readonly text: string;
  readonly resolved?: VaultPath;
  readonly reason?: RefReason;
  readonly candidates?: readonly VaultPath[];
}

/**
 * The longest source in a key (UTF-16 units). Constructs may be nested, so comparing the sources of very long ones could take far
 * longer than reading the body.
 */
const MAX_SOURCE = 4096;

/** Returns the key of a construct that may hold others; null for a very long one. */
export function sourceKey(body: string, from: number, to: number, meaning = ''): Key | null {
  return to - from > MAX_SOURCE ? null : wholeKey(body, from, to, meaning);
}

/** Returns the key of a construct of any length, of which few overlap. */
export function wholeKey(body: string, from: number, to: number, meaning = ''): Key {
  return { source: body.slice(from, to), meaning };
}

/** The exception that ends the search for findings in a body that has too many. */
export class TooManyFindings extends Error {
  constructor() {
    super('The text has more links and constructs than are checked.');
  }
}

/** The findings of a body, as many as memory allows. */
export class FindingList {
  readonly all: Finding[] = [];

  /** @param length the length of the body (UTF-16 units) */
  constructor(length: number) {
    // A finding takes up to 500 bytes. The longest notes of people have half as many links.
    this.#most = 32_768 + (length >> 5);
  }

  readonly #most: number;

  get isFull(): boolean {
    return this.all.length >= this.#most;
  }

  /** @throws TooManyFindings */
  add(finding: Finding | null): void {
    if (finding === null) return;
    if (this.isFull) throw new TooManyFindings();
    this.all.push(finding);
  }
}

/** Counts constructs by key. */
export class KeyCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  get({ source, meaning }: Key): number {
    return this.#counts.get(meaning)?.get(source) ?? 0;
  }

  add({ source, meaning }: Key): void {
    const bySource = this.#counts.get(meaning) ?? new Map<string, number>();
    this.#counts.set(meaning, bySource.set(source, (bySource.get(source) ?? 0) + 1));
  }
}

/** Makes a finding that makes something dangerous harmless. */
export function danger(
  reason: RefReason,
  from: number,
  to: number,
  key: Key | null,
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

/** Applies edits to a text. They must be sorted and must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return finish(applySteps(text, edits));
}

/** Applies edits to a text in steps. They must be sorted and must not overlap. */
export function* applySteps(text: string, edits: readonly Edit[]): Steps<string> {
  // Parts are joined in each step: one join at the end would be a single long step.
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
 * Returns the sorted edits of all findings that do not overlap, in steps. A finding that overlaps an earlier one is left out as a
 * whole; the next round finds it again.
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

/** Sorts edits by their offset. At one offset an insertion comes first, then the longer one, which replaces the other. */
function inOrder(a: Edit, b: Edit): number {
  return a.from - b.from || Number(a.to > a.from) - Number(b.to > b.from) || b.to - a.to;
}
