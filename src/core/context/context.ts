import * as z from 'zod';
import type { Caller } from '../access/tokens';
import { utf8Length } from '../base/hash';
import { inSlices, keepBest, partitionPoint, type Steps, Tally } from '../base/steps';
import { compareText, cutExcerpt, estimateTokens, tokensAbout, sentenceEnds } from '../base/text';
import { timestamp } from '../base/time';
import { isSearchable, type SearchableNote } from '../catalog/note-search';
import type { NoteRecord } from '../catalog/record';
import { wingKey } from '../catalog/wings';
import { rootNotePath } from '../notes/root';
import { readText } from '../notes/targets';
import { dateOf, successorOf, type Trust, trustOf } from '../notes/trust';
import type { Brain } from '../operation/context';
import { MAX_QUERY, wingField } from '../operation/fields';
import { operation } from '../operation/operation';
import { placeWarnings, readPlace } from '../search/filters';
import { type NoteText, readBeginning } from '../search/note-text';
import { sentencesOf } from '../search/passages';
import { queryWords } from '../search/question-words';
import { retrieve } from '../search/retrieve';
import { newestSummaries, type SessionSummary } from '../sessions/records';
import { parseNote } from '../frontmatter/parse';
import { dashed, type Wing, wingOfPath } from '../vocabulary/address';
import { isStale, isWriter, stampName } from '../vocabulary/envelope';
import { isOwners } from '../vocabulary/ownership';
import type { VaultPath } from '../vocabulary/paths';
import {
  type ContextAnswer,
  type ContextItem,
  type ContextKind,
  contextShape,
  contextText,
  KINDS,
  onOneLine,
  shortened,
  shownPlace,
} from './text';

/** The least and the most tokens that may be asked for: below the least no note has room beside the guidance. */
const MIN_TOKENS = 200;
const MAX_TOKENS = 8_000;
/** The part of the tokens that is used: a tokenizer may count a few more than `tokensOf`. */
const USED = 0.92;
/** The most of the tokens that guidance and the summaries of sessions take. */
const GUIDANCE_SHARE = 0.25;
const SESSION_SHARE = 0.15;
/** More UTF-16 units than a token of guidance has. */
const MOST_UNITS = 8;
/** The most notes whose bodies are read. */
const MAX_READ = 40;
/** The part of a body that is looked at, and of one that is found for the task (UTF-16 units). After this much of all, it is the beginning. */
const REACH = 1 << 16;
const REACH_FOUND = 1 << 18;
const REACH_OF_ALL = 1 << 19;
const BEGINNING = 8_192;
/** The tokens of a text that every listed note has room for, if it says as much. */
const MIN_TEXT = 28;
/** The most tokens of one text. */
const MAX_TEXT = 160;
/** The least worth of a note that is found for the task, beside the best. */
const MIN_OF_BEST = 0.15;
/** Notes that are not found for the task are added up to this part of the tokens. */
const BESIDES = 0.6;
/** The most summaries of sessions, and the tokens of each. */
const MAX_SESSIONS = 5;
const SESSION_TEXT = 70;
/** The longest reason of a change (code points). */
const MAX_REASON = 80;
const NOTES_PER_STEP = 256;
/** The most of a summary that is compared with the task (UTF-16 units), and the text that is looked through in one step. */
const MAX_COMPARED = 1_024;
const UNITS_PER_STEP = 1 << 12;
/** The part of the tokens that the task and the warnings of an answer have, counted in bytes. */
const TASK_SHARE = 1 / 8;
const WARNING_SHARE = 1 / 2;

/**
 * Returns what an agent has to know to begin a task or to go on with it, within a number of tokens: guidance, progress, what is open,
 * decisions in force, failures, facts and sources, each in a line with its path. It holds the notes of the owner, those whose present text a person has
 * reviewed, and the caller's own; the others are counted. With a task, what is found for it comes first. An unknown wing has no notes, and
 * a warning names the nearest. Fails with `invalid_wing`.
 */
export const context = operation({
  name: 'context',
  scope: 'read',
  mutates: false,
  input: z.strictObject({
    task: z
      .string()
      .max(MAX_QUERY)
      .optional()
      .describe('What is to be done, in a sentence; all that is new without it'),
    wing: wingField.optional(),
    max_tokens: z
      .number()
      .int()
      .min(MIN_TOKENS)
      .max(MAX_TOKENS)
      .default(2_000)
      .describe('Most tokens of the answer as text'),
  }),
  output: contextShape,
  async run(brain, { task: given, wing, max_tokens: maxTokens }, caller): Promise<ContextAnswer> {
    const place = readPlace(brain, wing, undefined);
    const task = given === undefined ? undefined : onOneLine(given).trim() || undefined;
    const about = {
      ...(task !== undefined && { task: shortened(task, maxTokens * TASK_SHARE) }),
      ...(place.wing !== undefined && { wing: place.wing }),
    };
    const root = await rootNotePath(brain);
    const known = await inSlices(surveySteps(brain, caller, place.wing, root), brain.pace);
    const lastWrite = known.lastWrite === 0 ? {} : { last_write: timestamp(new Date(known.lastWrite)) };
    const warnings = known.inPlace === 0 ? await placeWarnings(brain, place) : [];
    const empty = { ...about, sections: [], left: {}, unreviewed: known.unreviewed, ...lastWrite };
    if (warnings.length > 0) {
      const said = { ...empty, warnings: warnings.map((each) => shortened(each, maxTokens * WARNING_SHARE)) };
      return { ...said, tokens: tokensOf(contextText(said)) };
    }
    const shown = shownPlace(about);
    // What a caller sent may be worse to count than notes are.
    const most = Math.floor(maxTokens * USED) - utf8Length(shown) + tokensOf(shown);
    const room = most - tokensOf(contextText({ ...empty, left: LONGEST_LEFT, unreviewed: 9_999 }));
    const guidance = await guidanceItem(brain, root, Math.floor(maxTokens * GUIDANCE_SHARE));
    const share = Math.floor(maxTokens * SESSION_SHARE);
    const sessions = await sessionItems(brain, { task, wing: place.wing, room: share });
    const fixed = [...guidance, ...sessions];
    const used = fixed.reduce((sum, { kind, item }) => sum + lineTokens(kind, item), 0);
    const order = await orderOf(brain, known, { task, wing: place.wing, root });
    const { drafts, unseen } = await draftsOf(brain, order, known, room - used);
    const cap = capOf(drafts, room - used);
    const fitting = { about: { ...about, ...lastWrite }, known, unseen, fixed, drafts, cap, room: most };
    return inSlices(fittedSteps(fitting), brain.pace);
  },
});

/** The longest counts that may stand at the end of the text. */
const LONGEST_LEFT = Object.fromEntries(KINDS.slice(1).map((kind) => [kind, 9_999]));

/** Counts the tokens of a text rather too high than too low. */
function tokensOf(text: string): number {
  return Math.max(estimateTokens(text), tokensAbout(text));
}

interface Placed {
  readonly kind: ContextKind;
  /** The section of the whole note, of which this line may tell a part; absent where there is no note. */
  readonly of?: ContextKind;
  readonly item: ContextItem;
}

/** Returns the tokens of a line, with a share of the heading above it. */
function lineTokens(kind: ContextKind, item: ContextItem): number {
  return (
    tokensOf(contextText({ sections: [{ kind, items: [item] }], left: {}, unreviewed: 0 })) - EMPTY_TOKENS
  );
}

const EMPTY_TOKENS = tokensOf(contextText({ sections: [], left: {}, unreviewed: 0 })) + 4;

/** What is known of the notes of a place without reading one. */
interface Survey {
  /** The first notes of each section that may be shown, the best first, and how many there are. */
  readonly best: ReadonlyMap<ContextKind, readonly Ranked[]>;
  readonly counts: ReadonlyMap<ContextKind, number>;
  /** The notes in whose place others stand, by the path of the other. */
  readonly replaced: ReadonlyMap<string, VaultPath>;
  readonly inPlace: number;
  readonly unreviewed: number;
  readonly lastWrite: number;
  readonly isOwn: (note: NoteRecord) => boolean;
}

/** Returns a test for notes that may be shown, as far as their stamps tell. */
function mayHold(isOwn: Survey['isOwn'], root: string): (note: NoteRecord) => boolean {
  return (note) =>
    note.path !== root &&
    (isOwn(note) ||
      (note.status !== 'raw' && (isOwners(note) || note.frontmatter.promoted_at !== undefined)));
}

/** A note with what it is sorted by. */
interface Ranked {
  readonly note: SearchableNote;
  readonly rank: number;
  readonly date: number;
}

function compareRanked(a: Ranked, b: Ranked): number {
  return a.rank - b.rank || b.date - a.date || compareText(a.note.path, b.note.path);
}

function* surveySteps(
  brain: Pick<Brain, 'catalog' | 'clock'>,
  caller: Caller,
  wing: Wing | undefined,
  root: string,
): Steps<Survey> {
  const [name, now] = [stampName(caller), brain.clock.now()];
  const isOwn = (note: NoteRecord): boolean => isWriter(note.written_by, name);
  const holds = mayHold(isOwn, root);
  const best = new Map<ContextKind, Ranked[]>();
  const counts = new Map<ContextKind, number>();
  const replaced = new Map<string, VaultPath>();
  let [inPlace, unreviewed, lastWrite] = [0, 0, 0];
  const add = (note: SearchableNote): void => {
    const successor = note.frontmatter.superseded_by === undefined ? null : successorOf(brain, note);
    if (successor !== null) {
      replaced.set(successor, note.path);
      return;
    }
    const kind = kindOf(note);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const list = best.get(kind) ?? [];
    if (list.length === 0) best.set(kind, list);
    const isLast = kind === 'facts' && note.frontmatter.verified_at === undefined;
    const rank = (isStale(note.frontmatter, now) ? 2 : 0) + (isLast ? 1 : 0);
    // As many again may be found for the task.
    keepBest(list, { note, rank, date: dateOf(note) }, 2 * MAX_READ, compareRanked);
  };
  for (const [at, note] of brain.catalog.notes().entries()) {
    if (at % NOTES_PER_STEP === 0) yield;
    if (isOwn(note) || (caller.scopes.has('admin') && note.written_by !== undefined))
      lastWrite = Math.max(lastWrite, dateOf(note) || 0);
    if (!isSearchable(note) || (wing !== undefined && (note.wing === null || wingKey(note.wing) !== wing)))
      continue;
    inPlace += 1;
    if (note.path === root) continue;
    if (holds(note)) add(note);
    else unreviewed += 1;
  }
  return { best, counts, replaced, inPlace, unreviewed, lastWrite, isOwn };
}

function kindOf({ hall }: Pick<NoteRecord, 'hall'>): Exclude<ContextKind, 'guidance'> {
  if (hall === null) return 'progress';
  return hall === 'hypotheses' ? 'open' : hall;
}

/** A note to show, with the weights of the words of the task that it has; `found` when it was found for the task. */
interface Wanted {
  readonly note: SearchableNote;
  readonly terms: ReadonlyMap<string, number>;
  readonly isFound: boolean;
}

/** Returns the notes in the order in which they get room: those that are found for the task, then those of all sections in turn. */
async function orderOf(
  brain: Brain,
  { best: known, isOwn }: Survey,
  { task, wing, root }: { task: string | undefined; wing: Wing | undefined; root: string },
): Promise<Wanted[]> {
  const order: Wanted[] = [];
  if (task !== undefined) {
    const passes = mayHold(isOwn, root);
    // A phrase in quotes would leave out the notes without it.
    const query = task.replace(/["“”„«»]/g, ' ');
    const { hits } = await retrieve(brain, { query, wing, includeRaw: true, passes, limit: MAX_READ });
    const best = Math.max(0, ...hits.map(({ score }) => score));
    for (const { record: note, terms, score } of hits)
      if (score >= MIN_OF_BEST * best) order.push({ note, terms, isFound: true });
    // What is new elsewhere has nothing to do with a task.
    if (wing === undefined) return order;
  }
  const found = new Set(order.map(({ note }) => note.path));
  const lists = KINDS.map((kind) => (known.get(kind) ?? []).filter(({ note }) => !found.has(note.path)));
  for (let at = 0; order.length < 2 * MAX_READ && lists.some((list) => at < list.length); at += 1)
    for (const list of lists) {
      const note = list[at]?.note;
      if (note !== undefined) order.push({ note, terms: new Map(), isFound: task === undefined });
    }
  return order;
}

/** A part of a text that may be shown. */
interface Part {
  readonly text: string;
  readonly tokens: number;
  /** How much of the task it has. */
  readonly worth: number;
}

/** A line to be, whose text is chosen when it is known how much room it has. */
interface Draft extends Required<Pick<Placed, 'kind' | 'of'>> {
  readonly item: Omit<ContextItem, 'text'>;
  readonly title: string;
  readonly parts: readonly Part[];
  /** The tokens of the line without its text, and of its whole text. */
  readonly frame: number;
  readonly need: number;
}

/** Reads notes in order, as long as each has room for the least of its text. `unseen` holds those whose present text nobody reviewed. */
async function draftsOf(
  brain: Brain,
  order: readonly Wanted[],
  known: Survey,
  room: number,
): Promise<{ drafts: Draft[]; unseen: SearchableNote[] }> {
  const drafts: Draft[] = [];
  const unseen: SearchableNote[] = [];
  let [left, reads, units] = [room, 0, 0];
  for (const wanted of order) {
    if (reads === MAX_READ || (!wanted.isFound && left < room * (1 - BESIDES))) break;
    const { note } = wanted;
    const trust = await trustOf(brain, note);
    if (trust.superseded_by !== undefined) continue;
    const isUnreviewed = !isOwners(note) && trust.reviewed === null;
    // Only the past of a note tells whether its text is the one that was reviewed.
    if (isUnreviewed && !known.isOwn(note)) {
      unseen.push(note);
      continue;
    }
    reads += 1;
    const most = wanted.terms.size > 0 ? REACH_FOUND : REACH;
    const reach = units < REACH_OF_ALL ? most : BEGINNING;
    units += Math.min(note.size, reach);
    const item = itemOf(note, trust, isUnreviewed, known.replaced);
    for (const draft of await draftsOfNote(brain, wanted, item, reach)) {
      const least = draft.frame + Math.min(draft.need, MIN_TEXT);
      if (least > left) continue;
      left -= least;
      drafts.push(draft);
    }
  }
  return { drafts, unseen };
}

/** Returns what is told of a note beside its text. */
function itemOf(
  { path, frontmatter, status }: SearchableNote,
  { reviewed, stale, ...trust }: Trust,
  isOwn: boolean,
  replaced: ReadonlyMap<string, VaultPath>,
): Draft['item'] {
  const { supersede_reason: reason, supersedes } = frontmatter;
  const replaces = replaced.get(path);
  return {
    path,
    ...trust,
    ...(reviewed && status !== 'vault' && { reviewed }),
    ...(stale && { stale }),
    ...(isOwn && { own: true }),
    ...(replaces !== undefined && { replaces }),
    ...(typeof supersedes === 'string' &&
      typeof reason === 'string' &&
      reason !== '' && { changed: cutExcerpt(onOneLine(reason), 0, MAX_REASON) }),
  };
}

/** Matches an item of a task list that is not done. */
const OPEN_TASK = /^[ \t>]*(?:[-*+]|\d{1,4}[.)])[ \t]+\[ \][ \t]+(.*)$/s;

/** Returns the line of a note, and one of its own for what is open in it. */
async function draftsOfNote(
  brain: Brain,
  { note, terms }: Wanted,
  item: Draft['item'],
  reach: number,
): Promise<Draft[]> {
  const read = await readBeginning(brain, note.path, reach).catch((error: unknown) => {
    // One unreadable note must not cost the others.
    brain.log.warn('context.read', { path: note.path, message: String(error) });
    return null;
  });
  if (read === null) return [];
  const { tasks, parts } = await inSlices(partSteps(brain, read, terms), brain.pace);
  const kind = kindOf(note);
  const title = dashed(note.title) === dashed(note.slug) ? '' : note.title;
  const made = (as: ContextKind, texts: readonly Part[], name: string): Draft => ({
    kind: as,
    of: kind,
    item,
    title: name,
    parts: texts,
    frame: lineTokens(as, { ...item, text: name }),
    need: texts.reduce((sum, { tokens }) => sum + tokens, 0),
  });
  if (kind === 'open') return [made('open', [...parts, ...tasks], title)];
  const main = parts.length > 0 || tasks.length === 0 ? [made(kind, parts, title)] : [];
  return tasks.length === 0 ? main : [made('open', tasks, ''), ...main];
}

function* partSteps(
  { catalog }: Pick<Brain, 'catalog'>,
  read: NoteText,
  terms: ReadonlyMap<string, number>,
): Steps<{ tasks: Part[]; parts: Part[] }> {
  const [tasks, parts]: [Part[], Part[]] = [[], []];
  const done = new Tally(UNITS_PER_STEP);
  let [task, told] = ['', 0];
  for (const { from, to, kind } of sentencesOf(read)) {
    if (done.isFull(to - from)) yield;
    if (kind === 'heading') continue;
    const end = read.body.indexOf('\n', from);
    const line = read.body.slice(from, end === -1 ? read.body.length : end);
    const source = read.body.slice(from, to);
    const open = OPEN_TASK.exec(line)?.[1];
    // The sentences after the first of an item stand in its line.
    if (open === undefined && task !== '' && task.includes(source)) continue;
    task = open === undefined ? '' : line;
    // Without a task the first sentences are told.
    if (open === undefined && terms.size === 0 && told > MAX_TEXT) continue;
    const text = onOneLine(open === undefined ? source : `[ ] ${open}`)
      .replace(/^[-*+>] /, '')
      .trim();
    if (text === '') continue;
    const tokens = tokensOf(text) + 1;
    let worth = 0;
    for (const term of new Set(catalog.words.analyser.terms(text))) worth += terms.get(term) ?? 0;
    if (open === undefined) told += tokens;
    if (open === undefined) parts.push({ text, tokens, worth });
    else tasks.push({ text: `${text};`, tokens, worth });
  }
  return { tasks, parts };
}

/** Returns the most tokens of a text with which all drafts have room, if those that need less give the rest to the others. */
function capOf(drafts: readonly Draft[], room: number): number {
  const needs = drafts.map(({ need }) => need).sort((a, b) => a - b);
  let left = room - drafts.reduce((sum, { frame }) => sum + frame, 0);
  for (const [at, need] of needs.entries()) {
    const share = left / (needs.length - at);
    if (need > share) return Math.min(MAX_TEXT, Math.max(share, 1));
    left -= need;
  }
  return MAX_TEXT;
}

/** Returns the title and the parts that say most of the task, else the first, in the order of the note. */
function textOf({ title, parts }: Draft, cap: number): string {
  const lead = Math.max(0, ...parts.map(({ worth }) => worth)) / 2;
  const order = parts.map((part, at) => ({ ...part, at, worth: part.worth + (at === 0 ? lead : 0) }));
  order.sort((a, b) => b.worth - a.worth || a.at - b.at);
  const chosen: typeof order = [];
  let left = cap;
  for (const part of order) {
    if (part.tokens > left) continue;
    left -= part.tokens;
    chosen.push(part);
  }
  chosen.sort((a, b) => a.at - b.at);
  const [first] = order;
  const texts =
    chosen.length > 0 || first === undefined
      ? chosen.map(({ text }) => text)
      : [cutExcerpt(first.text, 0, Math.max(20, Math.floor(cap * (first.text.length / first.tokens))))];
  const text = `${texts.join(' ').replace(/;$/, '')}${chosen.length > 0 && chosen.length < parts.length ? ' …' : ''}`;
  return [title, text].filter((each) => each !== '').join(': ');
}

interface Fitting {
  readonly about: Pick<ContextAnswer, 'task' | 'wing' | 'last_write'>;
  readonly known: Survey;
  readonly unseen: readonly SearchableNote[];
  readonly fixed: readonly Placed[];
  readonly drafts: readonly Draft[];
  readonly cap: number;
  readonly room: number;
}

/** Returns the answer. Where its text is too long after all, it has fewer of the last lines. */
function* fittedSteps({ about, known, unseen, fixed, drafts, cap, room }: Fitting): Steps<ContextAnswer> {
  const placed = [
    ...fixed,
    ...drafts.map((draft): Placed => ({
      kind: draft.kind,
      of: draft.of,
      item: { ...draft.item, text: textOf(draft, cap) },
    })),
  ];
  for (;;) {
    const shown = new Map(placed.flatMap(({ item, of }) => (of === undefined ? [] : [[item.path, of]])));
    const left: Record<string, number> = {};
    for (const [kind, count] of known.counts) {
      const others = [...shown.values(), ...unseen.map(kindOf)];
      const more = count - others.filter((of) => of === kind).length;
      if (more > 0) left[kind] = more;
    }
    const sections = KINDS.flatMap((kind) => {
      const items = placed.flatMap((each) => (each.kind === kind ? [each.item] : []));
      return items.length === 0 ? [] : [{ kind, items: inOrder(kind, items) }];
    });
    const answer = { ...about, sections, left, unreviewed: known.unreviewed + unseen.length };
    const tokens = tokensOf(contextText(answer));
    if (tokens <= room || placed.length === 0) return { ...answer, tokens };
    placed.pop();
    yield;
  }
}

/** Sorts what came by its worth: progress by time, facts by who stands for them, and what is stale last. */
function inOrder(kind: ContextKind, items: readonly ContextItem[]): ContextItem[] {
  if (kind === 'progress') return [...items].sort((a, b) => compareText(b.date ?? '', a.date ?? ''));
  const rank = ({ stale, verified }: ContextItem): number =>
    (stale === true ? 2 : 0) + (kind === 'facts' && verified === undefined ? 1 : 0);
  return [...items].sort((a, b) => rank(a) - rank(b));
}

/** Returns the guidance as far as its whole sentences have room; nothing when the caller sees none. */
async function guidanceItem(brain: Brain, path: VaultPath, room: number): Promise<Placed[]> {
  const text = await readText(brain, path);
  if (text === null) return [];
  const { body } = parseNote(text.slice(0, REACH));
  const made = (said: string): Placed => ({ kind: 'guidance', item: { path, text: said } });
  const lines = body
    .slice(0, room * MOST_UNITS)
    .trim()
    .split(/\s*\n\s*/);
  let said = '';
  let left = room - lineTokens('guidance', { path, text: '' });
  for (const line of lines) {
    const ends = [...sentenceEnds(line), line.length];
    const cost = (end: number): number => tokensOf(`\n> ${line.slice(0, end)}`);
    const most = ends[partitionPoint(ends, (end) => cost(end) <= left) - 1] ?? 0;
    left -= cost(most);
    if (most > 0) said += `${said === '' ? '' : '\n'}${line.slice(0, most)}`;
    if (most < line.length) return [made(`${said} …`)];
  }
  return said === '' ? [] : [made(said)];
}

/** Returns the terms that say what a session has to do with a task and a wing. */
function taskTerms({ catalog }: Pick<Brain, 'catalog'>, task = '', wing = ''): ReadonlySet<string> {
  const words = queryWords(`${task} ${wing}`, catalog.words.analyser);
  return new Set(words.flatMap(({ isGrammar, terms }) => (isGrammar ? [] : terms)));
}

/** Returns the newest summaries of sessions: those that name a note or a word of the task or wing first, and with a wing these alone. */
async function sessionItems(
  brain: Brain,
  { task, wing, room }: { task: string | undefined; wing: Wing | undefined; room: number },
): Promise<Placed[]> {
  const terms = taskTerms(brain, task, wing);
  const newest = await newestSummaries(brain.vault);
  const chosen = await inSlices(nearSteps(brain, newest, { terms, wing }), brain.pace);
  const placed: Placed[] = [];
  let left = room;
  for (const { path, at, skill, outcome, text } of chosen) {
    const said = onOneLine(`${skill} ${outcome}: ${text.slice(0, MAX_COMPARED)}`).trim();
    const item = { path, date: timestamp(at), text: cutExcerpt(said, 0, SESSION_TEXT * 4) };
    left -= lineTokens('progress', item);
    if (left < 0) break;
    placed.push({ kind: 'progress', item });
  }
  return placed;
}

/** Chooses sessions: those that have to do with the task or the wing, and without a wing the newest others. */
function* nearSteps(
  { catalog }: Pick<Brain, 'catalog'>,
  newest: readonly SessionSummary[],
  { terms, wing }: { terms: ReadonlySet<string>; wing: Wing | undefined },
): Steps<SessionSummary[]> {
  const inWing = (path: string): boolean => {
    const of = wingOfPath(path);
    return of !== null && wingKey(of) === wing;
  };
  const [near, others]: [SessionSummary[], SessionSummary[]] = [[], []];
  const isAny = terms.size === 0 && wing === undefined;
  const done = new Tally(UNITS_PER_STEP);
  for (const session of newest) {
    if (near.length === MAX_SESSIONS || (isAny && others.length === MAX_SESSIONS)) break;
    const said = `${session.skill} ${session.text}`.slice(0, MAX_COMPARED);
    if (done.isFull(said.length)) yield;
    const has =
      session.notes.some(inWing) || catalog.words.analyser.terms(said).some((term) => terms.has(term));
    (has ? near : others).push(session);
  }
  return [...near, ...(wing === undefined ? others : [])].slice(0, MAX_SESSIONS);
}
