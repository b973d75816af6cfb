import { finish, ITEMS_PER_STEP, sortSteps, type Steps, Tally } from '../base/steps';
import { compareText, firstPoints } from '../base/text';
import type { LinkSource, LinkTargets, Resolution } from '../links/resolve';
import { lineSteps, type Markdown, markdownSteps } from '../markdown/parse';
import { UNITS_PER_STEP } from '../markdown/spans';
import type { VaultPath } from '../vocabulary/paths';
import { codeFindingSteps, htmlFindingSteps, invisibleFindingSteps } from './active';
import { applySteps, compatibleSteps, type Finding, type FoundRef, type Ref, type Rule } from './finding';
import { type LinkContext, linkFindingSteps } from './link-findings';

/**
 * The rules that the gate applies. `full`: all of them, for a write. `promote`: links that lead nowhere stay and are reported, for
 * a promotion by a token. `canonical`: links that lead somewhere get their canonical form and everything else is only reported, for
 * a promotion by a person.
 */
export type GateMode = 'full' | 'promote' | 'canonical';

export interface GateInput {
  readonly body: string;
  /** The note's current body: a construct with equal bytes there is left alone. */
  readonly current?: string;
  readonly from: LinkSource;
  readonly targets: LinkTargets;
  /** A person's choices for missing or ambiguous links, by `Ref.target`. */
  readonly choices?: ReadonlyMap<string, VaultPath> | undefined;
  readonly mode: GateMode;
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
}

const MAX_REFS = 200;
const MAX_CANDIDATES = 20;
/** The longest target and text in a report (code points). */
const MAX_SHOWN = 200;
/** The rounds at most: each round gates the result of the last one. Text of people and models needs two. */
const MAX_ROUNDS = 12;

const ENTANGLED_LINKS = 'The links are too entangled to be brought into form and were left as they are.';
const TOO_MUCH =
  'The text has more blocks or lines than are read, so what follows them was turned into plain text.';
const ENTANGLED_MARKUP =
  'The markup was too entangled to be checked, so all of it was turned into plain text.';

const RULES: Readonly<Record<GateMode, readonly Rule[]>> = {
  full: ['canonical', 'missing', 'closed', 'danger'],
  promote: ['canonical', 'closed', 'danger'],
  canonical: ['canonical'],
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
      : yield* keySteps(yield* findingSteps(yield* markdownSteps(input.current), input));
  const lineOf = yield* lineSteps(input.body);
  const report = new Report();
  let body = input.body;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    let markdown = yield* markdownSteps(body);
    if (markdown.end < body.length && input.mode !== 'canonical') {
      const plain = body.slice(0, markdown.end) + (yield* plainSteps(body.slice(markdown.end)));
      if (plain !== body) {
        report.warn(TOO_MUCH);
        body = plain;
        markdown = yield* markdownSteps(body);
      }
    }
    const decisions = yield* decideSteps(yield* findingSteps(markdown, input), rules, currentKeys);
    const acting = yield* report.add(decisions, round === 0, lineOf);
    const edits = yield* compatibleSteps(acting);
    if (edits.length === 0) return { body, ...report.result() };
    body = yield* applySteps(body, edits);
  }
  if (input.mode === 'canonical') return { body: input.body, ...report.result(ENTANGLED_LINKS) };
  return { body: yield* plainSteps(body), ...report.result(ENTANGLED_MARKUP) };
}

function* findingSteps(markdown: Markdown, input: GateInput): Steps<Finding[]> {
  const context: LinkContext = {
    from: input.from,
    targets: input.targets,
    resolved: new Map<string, Resolution>(),
    choices: input.choices,
  };
  const links = yield* linkFindingSteps(markdown, context);
  const html = yield* htmlFindingSteps(markdown.body, markdown.spans, input.activeContent);
  const code = input.activeContent ? yield* codeFindingSteps(markdown) : [];
  const findings = links.concat(html, code, yield* invisibleFindingSteps(markdown));
  return yield* sortSteps(findings, (a, b) => a.from - b.from || b.to - a.to);
}

/** Returns the cost of a finding's look-up in items of a step: it grows with the key's length. */
function weightOf({ key }: Finding): number {
  return 1 + ((key?.length ?? 0) >> 7);
}

/** A finding, and whether the gate acts on it. */
interface Decision {
  readonly finding: Finding;
  /** True when its edits are applied. */
  readonly acts: boolean;
}

/**
 * Decides on each finding: the gate acts when its mode has the rule and the construct is not one of the current body.
 * @param currentKeys the number of constructs in the current body, by key; null without a current body
 */
function* decideSteps(
  findings: readonly Finding[],
  rules: readonly Rule[],
  currentKeys: ReadonlyMap<string, number> | null,
): Steps<Decision[]> {
  /** The constructs of the current body that were matched, by key. */
  const matched = new Map<string, number>();
  const tally = new Tally(ITEMS_PER_STEP);
  const decisions: Decision[] = [];
  let end = 0;
  const actsOn = (finding: Finding): boolean => {
    // A construct inside one of the current body is one too.
    if (finding.to <= end) return false;
    if (currentKeys !== null && finding.key !== null) {
      const count = matched.get(finding.key) ?? 0;
      if (count < (currentKeys.get(finding.key) ?? 0)) {
        matched.set(finding.key, count + 1);
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
function* keySteps(findings: readonly Finding[]): Steps<Map<string, number>> {
  const keys = new Map<string, number>();
  const tally = new Tally(ITEMS_PER_STEP);
  let end = 0;
  for (const finding of findings) {
    const { key, to } = finding;
    if (tally.isFull(weightOf(finding))) yield;
    if (key === null || to <= end) continue;
    keys.set(key, (keys.get(key) ?? 0) + 1);
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

  /** Adds the decisions of a round and returns the findings on which the gate acts. */
  *add(decisions: readonly Decision[], first: boolean, lineOf: (at: number) => number): Steps<Finding[]> {
    const acting: Finding[] = [];
    const tally = new Tally(ITEMS_PER_STEP);
    for (const { finding, acts } of decisions) {
      if (tally.isFull()) yield;
      if (acts) acting.push(finding);
      if (!first && !acts) continue;
      if (finding.ref === null) this.#invisible[acts ? 'removed' : 'left'] += 1;
      else if (this.#hasRoom(finding.ref)) this.#refs.push(refOf(finding.ref, lineOf(finding.from), acts));
      if (finding.warning !== undefined && acts && this.#warnings.size < MAX_REFS)
        this.#warnings.add(finding.warning);
    }
    return acting;
  }

  #hasRoom({ reason }: FoundRef): boolean {
    const kind = reason === undefined ? 'sound' : 'faulty';
    this.#counts[kind] += 1;
    return this.#counts[kind] <= MAX_REFS;
  }

  warn(warning: string): void {
    this.#warnings.add(warning);
  }

  result(last?: string): Pick<Gated, 'refs' | 'unlinked' | 'warnings'> {
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
    return { refs, unlinked: [...unlinked], warnings };
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
