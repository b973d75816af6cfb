import { finish, ITEMS_PER_STEP, sortSteps, type Steps, Tally } from '../base/steps';
import { compareText, firstPoints } from '../base/text';
import {
  type LinkSource,
  type LinkTargets,
  NO_TARGETS,
  NOWHERE,
  type Resolution,
  resolveLink,
} from '../links/resolve';
import { lineSteps, type Markdown, markdownSteps } from '../markdown/parse';
import { type Range, UNITS_PER_STEP } from '../markdown/spans';
import type { VaultPath } from '../vocabulary/paths';
import { codeFindingSteps, htmlFindingSteps, invisibleFindingSteps } from './active';
import { Changes, type GateChange } from './changes';
import {
  applySteps,
  compatibleSteps,
  type Edit,
  type Finding,
  FindingList,
  type FoundRef,
  isActiveRef,
  KeyCounts,
  type Ref,
  type Rule,
  TooManyFindings,
} from './finding';
import { type LinkContext, linkFindingSteps } from './link-findings';

/**
 * The rules that the gate applies. `full`: all of them, for a write. `promote`: links that lead nowhere stay and are reported, for
 * a promotion. `property`: only what would act is made harmless, for a value of front matter.
 */
export type GateMode = 'full' | 'promote' | 'property';

export interface GateInput {
  readonly body: string;
  /** The note's current body: a construct with equal bytes there is left alone. */
  readonly current?: string;
  readonly from: LinkSource;
  readonly targets: LinkTargets;
  /** Returns where a target leads; absent where `targets` tells it. `relative` is true for Markdown links. */
  readonly resolve?: ((target: string, relative: boolean) => Resolution) | undefined;
  /** A person's choices for missing or ambiguous links, by `Ref.target`. */
  readonly choices?: ReadonlyMap<string, VaultPath> | undefined;
  readonly mode: GateMode;
  /** Parts of the body that a person keeps as they are, sorted and disjoint: `from` and `to` of `changes`. */
  readonly keep?: readonly Range[] | undefined;
  /** True to make active HTML and code harmless; false when the vault's owner wants them to work. */
  readonly activeContent: boolean;
}

export interface Gated {
  readonly body: string;
  /** In the order of the text; at most 200, those with a reason first when there are more. */
  readonly refs: Ref[];
  /** The distinct targets of the references that were unlinked. */
  readonly unlinked: string[];
  readonly warnings: string[];
  /** The lines, counted from 1, from which invisible characters were removed, at most 200; absent without any. */
  readonly invisible?: readonly number[];
  /** The parts that the gate closes or makes harmless, in the order of the text, disjoint; in mode `promote` only. */
  readonly changes: readonly GateChange[];
}

const MAX_REFS = 200;
const MAX_CANDIDATES = 20;
/** The longest target and text in a report (code points). */
const MAX_SHOWN = 200;
/** The rounds at most: each round gates the result of the last one. Text of people and models needs two. */
const MAX_ROUNDS = 12;

const TOO_MUCH =
  'The text has more blocks, lines or marks than are read, so what follows them was turned into plain text.';
const ENTANGLED_MARKUP =
  'The markup was too entangled to be checked, so all of it was turned into plain text.';

const RULES: Readonly<Record<GateMode, readonly Rule[]>> = {
  full: ['canonical', 'missing', 'closed', 'danger'],
  promote: ['canonical', 'closed', 'danger'],
  property: ['danger'],
};

/**
 * Gates a body. Links to a note get its full path, and other links become text; constructs that would fetch, run or deceive when
 * the note is shown are made harmless. Every byte outside such constructs stays. Never throws; takes linear time for each of a
 * bounded number of rounds; idempotent.
 */
export function gate(input: GateInput): Gated {
  return finish(gateSteps(input));
}

/** Computes `gate` in steps: a long hostile text takes seconds. */
export function* gateSteps(input: GateInput): Steps<Gated> {
  const rules = RULES[input.mode];
  const currentKeys =
    input.current === undefined
      ? null
      : yield* keySteps((yield* findingSteps(yield* markdownSteps(input.current), input))?.all ?? []);
  const lineOf = yield* lineSteps(input.body);
  const report = new Report();
  const changes = input.mode === 'promote' ? new Changes(input.body, lineOf) : null;
  const kept = new KeptParts(input.keep ?? []);
  let body = input.body;
  const apply = function* (edits: readonly Edit[]): Steps<void> {
    if (changes !== null) yield* changes.apply(edits);
    kept.apply(edits);
    body = yield* applySteps(body, edits);
  };
  const makePlain = function* (edits: readonly Edit[], line: number): Steps<void> {
    report.unread(line);
    for (const edit of edits) changes?.add(UNREAD, edit);
    yield* apply(edits);
  };
  const result = function* (warning?: string): Steps<Gated> {
    const changed = changes === null ? [] : yield* changes.result();
    return { body, ...report.result(warning), changes: changed };
  };
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    let markdown = yield* markdownSteps(body);
    if (markdown.end < body.length) {
      const edits = yield* plainEdits(body, markdown.end, kept);
      if (edits.length > 0) {
        report.warn(TOO_MUCH);
        yield* makePlain(edits, lineOf(markdown.end));
        markdown = yield* markdownSteps(body);
      }
    }
    const findings = yield* findingSteps(markdown, input);
    if (findings === null) break;
    const found = yield* decideSteps(findings.all, rules, currentKeys);
    const acting = yield* report.add(kept.spare(found, report), round === 0, lineOf);
    const edits = yield* compatibleSteps(acting);
    for (const finding of acting) changes?.add(finding, reachOf(finding, body.length));
    if (edits.length === 0 && !findings.isWhole) break;
    if (edits.length === 0) return yield* result();
    yield* apply(edits);
  }
  yield* makePlain(yield* plainEdits(body, 0, kept), 1);
  return yield* result(ENTANGLED_MARKUP);
}

/**
 * Tells in steps whether a body holds anything that fetches, runs or deceives. The body is parsed once, or once more for each
 * round in which invisible characters hide something. Nothing is known of the notes to which its links may lead: returns the
 * targets of wikilinks that act unless they lead to a note, and null when something acts in any case.
 */
export function* actingSteps(body: string, activeContent: boolean): Steps<readonly string[] | null> {
  const open = new Set<string>();
  let text = body;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const markdown = yield* markdownSteps(text);
    if ((yield* plainEdits(text, markdown.end, new KeptParts([]))).length > 0) return null;
    const findings = yield* findingSteps(markdown, { from: NOWHERE, targets: NO_TARGETS, activeContent });
    if (findings === null) return null;
    const hidden: Finding[] = [];
    const tally = new Tally(ITEMS_PER_STEP);
    for (const finding of findings.all) {
      if (tally.isFull()) yield;
      const { ref } = finding;
      if (ref === null) hidden.push(finding);
      else if (!isActiveRef(ref)) continue;
      else if (ref.kind === 'wikilink' || ref.kind === 'embed') open.add(ref.target);
      else return null;
    }
    const edits = yield* compatibleSteps(hidden);
    if (edits.length === 0 && findings.isWhole) return [...open];
    text = yield* applySteps(text, edits);
  }
  return null;
}

/** Returns the range of a finding with the characters that its edits escape. */
function reachOf({ from, to, edits }: Finding, length: number): Range {
  const ends = edits.map((edit) => (edit.from === edit.to ? edit.to + 1 : edit.to));
  return {
    from: Math.min(from, ...edits.map((edit) => edit.from)),
    to: Math.min(length, Math.max(to, ...ends)),
  };
}

/** The findings of a body in the order of the text. `isWhole` is false when there are more runs of invisible characters. */
interface Found {
  readonly all: readonly Finding[];
  readonly isWhole: boolean;
}

/** Returns the findings of a body; null when it has too many links and constructs. */
function* findingSteps(
  markdown: Markdown,
  input: Pick<GateInput, 'from' | 'targets' | 'resolve' | 'choices' | 'activeContent'>,
): Steps<Found | null> {
  const { from, targets } = input;
  const context: LinkContext = {
    resolve: input.resolve ?? ((target, relative) => resolveLink(target, from, targets, relative)),
    targets,
    resolved: { relative: new Map(), rooted: new Map() },
    choices: input.choices,
  };
  const findings = new FindingList(markdown.body.length);
  let isWhole: boolean;
  try {
    yield* linkFindingSteps(markdown, context, findings);
    yield* htmlFindingSteps(markdown.body, markdown.spans, input.activeContent, findings);
    if (input.activeContent) yield* codeFindingSteps(markdown, findings);
    isWhole = yield* invisibleFindingSteps(markdown, findings);
  } catch (error) {
    if (error instanceof TooManyFindings) return null;
    throw error;
  }
  return { all: yield* sortSteps(findings.all, (a, b) => a.from - b.from || b.to - a.to), isWhole };
}

/** Returns the cost of a finding's look-up in items of a step: it grows with the key's length. */
function weightOf({ key }: Finding): number {
  return 1 + ((key?.source.length ?? 0) >> 7);
}

/** A finding, and whether the gate acts on it. */
interface Decision {
  readonly finding: Finding;
  /** True when its edits are applied. */
  readonly acts: boolean;
}

/** The parts of the body that a person keeps, which move with the edits before them. */
class KeptParts {
  #parts: readonly Range[];

  constructor(parts: readonly Range[]) {
    this.#parts = parts;
  }

  /** Returns the parts in offsets of the current body. */
  get parts(): readonly Range[] {
    return this.#parts;
  }

  /** Moves the parts. No edit is inside one. */
  apply(edits: readonly Edit[]): void {
    if (this.#parts.length === 0) return;
    let next = 0;
    let shift = 0;
    this.#parts = this.#parts.map(({ from, to }) => {
      for (let edit = edits[next]; edit !== undefined && edit.to <= from; edit = edits[next]) {
        shift += edit.text.length - (edit.to - edit.from);
        next += 1;
      }
      return { from: from + shift, to: to + shift };
    });
  }

  /** Returns the decisions without acts on kept parts. A link around a kept part that would change with it stays too. */
  spare(decisions: readonly Decision[], report: Report): readonly Decision[] {
    if (this.#parts.length === 0) return decisions;
    return decisions.map((decision) => {
      const { finding, acts } = decision;
      if (!acts || !this.#isTouchedBy(finding)) return decision;
      const { resolved, target = '' } = finding.ref ?? {};
      if (resolved !== undefined)
        report.warn(`The link to "${firstPoints(target, MAX_SHOWN)}" was kept as written.`);
      return { finding, acts: false };
    });
  }

  #isTouchedBy({ from, to, edits }: Finding): boolean {
    const inside = this.#firstBehind(from);
    if (inside !== undefined && inside.from <= from && to <= inside.to) return true;
    return edits.some((edit) => {
      const part = this.#firstBehind(edit.from);
      if (part === undefined) return false;
      return edit.from === edit.to ? part.from < edit.from : part.from < edit.to;
    });
  }

  /** Returns the first part that ends behind an offset. */
  #firstBehind(at: number): Range | undefined {
    let [low, high] = [0, this.#parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#parts[middle]?.to ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return this.#parts[low];
  }
}

/**
 * Decides on each finding: the gate acts when its mode has the rule and the construct is not one of the current body.
 * @param currentKeys the constructs in the current body; null without a current body
 */
function* decideSteps(
  findings: readonly Finding[],
  rules: readonly Rule[],
  currentKeys: KeyCounts | null,
): Steps<Decision[]> {
  /** The constructs of the current body that were matched. */
  const matched = new KeyCounts();
  const tally = new Tally(ITEMS_PER_STEP);
  const decisions: Decision[] = [];
  let end = 0;
  const actsOn = (finding: Finding): boolean => {
    // A construct inside one of the current body is one too.
    if (finding.to <= end) return false;
    if (currentKeys !== null && finding.key !== null) {
      if (matched.get(finding.key) < currentKeys.get(finding.key)) {
        matched.add(finding.key);
        end = Math.max(end, finding.to);
        return false;
      }
    }
    return finding.edits.length > 0 && rules.includes(finding.rule);
  };
  for (const finding of findings) {
    decisions.push({ finding, acts: actsOn(finding) });
    if (tally.isFull(weightOf(finding))) yield;
  }
  return decisions;
}

/** Counts the constructs by key. A construct inside another one is not counted. */
function* keySteps(findings: readonly Finding[]): Steps<KeyCounts> {
  const keys = new KeyCounts();
  const tally = new Tally(ITEMS_PER_STEP);
  let end = 0;
  for (const finding of findings) {
    const { key, to } = finding;
    if (tally.isFull(weightOf(finding))) yield;
    if (key === null || to <= end) continue;
    keys.add(key);
    end = to;
  }
  return keys;
}

/** The collected report of all rounds: every finding of the first round, and the changes of later ones. */
class Report {
  readonly #refs: Ref[] = [];
  readonly #warnings = new Set<string>();
  /** The numbers of references with a reason, and without. */
  readonly #counts = { faulty: 0, sound: 0 };
  /** The numbers of runs of invisible characters that were removed, and that were left. */
  readonly #invisible = { removed: 0, left: 0 };
  readonly #invisibleLines: number[] = [];

  /** Adds the decisions of a round and returns the findings on which the gate acts. */
  *add(decisions: readonly Decision[], first: boolean, lineOf: (at: number) => number): Steps<Finding[]> {
    const acting: Finding[] = [];
    const tally = new Tally(ITEMS_PER_STEP);
    for (const { finding, acts } of decisions) {
      if (tally.isFull()) yield;
      if (acts) acting.push(finding);
      if (!first && !acts) continue;
      if (finding.ref === null) this.#addInvisible(acts, () => lineOf(finding.from));
      else if (this.#hasRoom(finding.ref)) this.#refs.push(refOf(finding.ref, lineOf(finding.from), acts));
      if (finding.warning !== undefined && acts && this.#warnings.size < MAX_REFS)
        this.#warnings.add(finding.warning);
    }
    return acting;
  }

  #addInvisible(isRemoved: boolean, line: () => number): void {
    this.#invisible[isRemoved ? 'removed' : 'left'] += 1;
    if (isRemoved && this.#invisibleLines.length < MAX_REFS) this.#invisibleLines.push(line());
  }

  #hasRoom({ reason }: FoundRef): boolean {
    const kind = reason === undefined ? 'sound' : 'faulty';
    this.#counts[kind] += 1;
    return this.#counts[kind] <= MAX_REFS;
  }

  /** Adds the report of markup from a line on that was turned into plain text because it could not be read. */
  unread(line: number): void {
    this.#refs.push(refOf(UNREAD.ref, line, true));
  }

  warn(warning: string): void {
    this.#warnings.add(warning);
  }

  result(last?: string): Omit<Gated, 'body' | 'changes'> {
    const all = this.#refs;
    const bySoundness = [true, false].flatMap((faulty) =>
      all.filter(({ reason }) => (reason !== undefined) === faulty),
    );
    const refs = all.length > MAX_REFS ? bySoundness.slice(0, MAX_REFS) : all;
    const unlinked = new Set(refs.filter((ref) => ref.unlinked).map(({ target }) => target));
    const { removed, left } = this.#invisible;
    const warnings = [
      ...this.#warnings,
      ...(removed > 0 ? [`Invisible characters were removed in ${places(removed)}.`] : []),
      ...(left > 0 ? [`Invisible characters stand in ${places(left)}.`] : []),
      ...(last === undefined ? [] : [last]),
    ];
    const invisible = removed > 0 ? { invisible: this.#invisibleLines } : {};
    return { refs, unlinked: [...unlinked], warnings, ...invisible };
  }
}

function refOf({ target, text, candidates, ...rest }: FoundRef, line: number, acts: boolean): Ref {
  return {
    ...rest,
    target: firstPoints(target, MAX_SHOWN),
    text: firstPoints(text, MAX_SHOWN),
    line,
    unlinked: acts && rest.reason !== undefined,
    ...(candidates && { candidates: [...candidates].sort(compareText).slice(0, MAX_CANDIDATES) }),
  };
}

function places(count: number): string {
  return count === 1 ? 'one place' : `${count} places`;
}

/** The report of markup that was turned into plain text because it could not be read. */
const UNREAD: Pick<Finding, 'rule'> & { readonly ref: FoundRef } = {
  rule: 'danger',
  ref: { kind: 'html', target: '<', text: '', reason: 'active_content' },
};

/** Returns the edits that turn a body from an offset on into plain text, but for the kept parts. */
function* plainEdits(body: string, start: number, { parts }: KeptParts): Steps<Edit[]> {
  const edits: Edit[] = [];
  let from = start;
  for (const part of [...parts, { from: body.length, to: body.length }]) {
    if (part.from > from) {
      const old = body.slice(from, part.from);
      const text = yield* plainSteps(old);
      if (text !== old) edits.push({ from, to: part.from, text });
    }
    from = Math.max(from, part.to);
  }
  return edits;
}

/** A surrogate pair, and an address of 11 units, which must not be cut. */
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;
const BARE = /obsidian:\/\//i;

/** Escapes all markup of links, tags and code: the last resort against hostile text that does not settle. */
function* plainSteps(body: string): Steps<string> {
  const parts: string[] = [];
  for (let from = 0; from < body.length;) {
    // The cut must not split an address or a surrogate pair.
    let to = from + UNITS_PER_STEP;
    while (PAIR.test(body.slice(to - 1, to + 1)) || BARE.test(body.slice(to - 10, to + 10))) to += 1;
    parts.push(plainText(body.slice(from, to)));
    from = to;
    yield;
  }
  return parts.join('');
}

function plainText(text: string): string {
  return text
    .replace(/[<[`~$]/g, (mark) => `&#${mark.charCodeAt(0)};`)
    .replace(/(obsidian):(?=\/\/)/gi, '$1\\:')
    .replace(/[\p{Default_Ignorable_Code_Point}]/gu, '');
}
