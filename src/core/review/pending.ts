import * as z from 'zod';
import { allows } from '../access/tokens';
import { BrainError } from '../base/errors';
import { isSha } from '../base/hash';
import { compareText } from '../base/text';
import { noteTime, timestamp } from '../base/time';
import { textsOf } from '../catalog/prose';
import { SIMILAR_TEXT } from '../catalog/note-search';
import type { NoteRecord } from '../catalog/record';
import { similarNotes } from '../notes/similar';
import { linkedPath, readText } from '../notes/targets';
import type { Brain } from '../operation/context';
import { limitField, offsetField, pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { harmlessShape } from '../operation/sent';
import {
  countShape,
  hallShape,
  hashShape,
  nearShape,
  pathShape,
  readingShape,
  timeShape,
  warningsShape,
} from '../operation/shapes';
import { isHall } from '../vocabulary/address';
import { envelopeProblem, isOfPipeline, isStale } from '../vocabulary/envelope';
import { stemOf, vaultPath } from '../vocabulary/paths';
import { ownProposals, proposalShape } from './mine';
import { forgetTarget } from './review-note';
import { snoozedUntil } from './snooze';
import { findAlike, RISKS, type Risky, suggestedSlug, wasRejected, withRisks } from './risks';

const DAY_MS = 86_400_000;
const EXTRACTIONS = ['llm', 'passthrough', 'structured'] as const;

const entryShape = z.object({
  path: pathShape,
  kind: z.literal('forget').optional().describe('It asks that a note is forgotten: POST /forget on `target`'),
  target: z
    .object({ path: pathShape, title: z.string(), text: z.string().describe('Its beginning') })
    .optional()
    .describe('The note that is to be forgotten, unless it is gone'),
  title: z.string(),
  excerpt: z.string(),
  created_at: timeShape,
  age_days: countShape,
  bytes: countShape,
  content_hash: hashShape,
  suggested: z.object({ wing: z.string().optional(), hall: hallShape.optional(), slug: z.string() }),
  source: z.string().optional(),
  sources: z.array(z.string()),
  origin: z.string().optional(),
  written_by: z.string().optional(),
  extraction: z.enum(EXTRACTIONS).optional(),
  unverified: z
    .boolean()
    .describe('True when none of the quotes that were to bear it out stands in its source'),
  can_re_extract: z
    .boolean()
    .describe('True when a language model could make pages of its source: POST /re-extract'),
  similar: z.array(nearShape),
  stale: z.boolean().describe('Past its half-life'),
  rejected_before: z.boolean(),
  risks: z.array(z.enum(RISKS)).describe('Reasons to look at it twice; empty when none is known'),
  collision: pathShape.optional().describe('The note that is at the suggested address'),
  same: z.array(pathShape).describe('Near-equal notes in the queue, oldest first, at most ten'),
  made_harmless: harmlessShape.optional().describe('What the gate changed in it when it came in'),
  snoozed_until: timeShape.optional().describe('It was put off until then; screens hide it'),
  revised_at: timeShape.optional().describe('When its writer last revised it'),
  previous_hash: hashShape.optional().describe('The text before the last revision, which history has'),
  warnings: warningsShape,
});
type PendingEntry = z.input<typeof entryShape>;

/**
 * Lists the review queue, oldest first, each note with what a person needs to decide. With a path, only that note, if it is
 * queued. With `mine`, what the caller has proposed, with decision and reason.
 */
export const listPending = operation({
  name: 'pending',
  scope: 'read',
  orScope: 'propose',
  mutates: false,
  early: true,
  input: z.strictObject({
    limit: limitField(200, 200),
    offset: offsetField,
    path: pathField.optional().describe('Only this note'),
    mine: z
      .literal(true)
      .optional()
      .describe('Only what the caller has proposed, with what was decided about it and why: `proposals`'),
    similar: z
      .boolean()
      .default(true)
      .describe('False leaves `similar` empty, which is most of the work of a long list'),
    wait: z
      .boolean()
      .default(true)
      .describe('False answers at once, also while near-equal notes of a long queue are looked for'),
  }),
  output: z.object({
    count: countShape,
    total: countShape,
    reading: readingShape.optional(),
    looking: z
      .boolean()
      .optional()
      .describe(
        'True while near-equal notes are looked for: `same` and the risk `near_duplicate` may be missing. Only with `wait` false',
      ),
    pending: z.array(entryShape).describe('Empty with `mine`'),
    proposals: z
      .array(proposalShape)
      .optional()
      .describe('With `mine`: those that wait first, then the last decided first'),
  }),
  async run(brain, { limit, offset, path, mine, similar, wait }, caller) {
    const only = path === undefined ? null : linkedPath(brain, path);
    const reading = brain.reading();
    if (mine === true) {
      const all = (await ownProposals(brain, caller, pendingNotes(brain.whole))).filter(
        (each) => only === null || each.proposed_as === only || each.path === only,
      );
      const proposals = all.slice(offset, offset + limit);
      const counts = { count: proposals.length, total: all.length, ...(reading && { reading }) };
      return { ...counts, pending: [], proposals };
    }
    if (!allows(caller, 'read'))
      throw new BrainError(
        'forbidden_scope',
        'This token may not list the review queue, which needs the scope "read". Set "mine": true for what it has proposed itself, with what was decided about it.',
        { scope: 'read' },
      );
    const all = pendingNotes(brain);
    const queue = only === null ? all : all.filter(({ note }) => note.path === only);
    const looking = findAlike(
      brain,
      all.map(({ note }) => note),
    );
    if (wait) await looking;
    const past = await brain.whole.past.read();
    const listed = await withRisks(brain, queue.slice(offset, offset + limit));
    const page: PendingEntry[] = [];
    for (const { note, created, risky } of listed) {
      const prose = similar ? ((await textsOf(brain, note, SIMILAR_TEXT))?.prose ?? note.excerpt) : null;
      const until = await snoozedUntil(past, note, brain.clock.now());
      const entry = await brain.pace.run(() => entryOf(brain, note, created));
      page.push({
        ...entry,
        similar: prose === null ? [] : await similarNotes(brain, note, prose),
        ...(await requestOf(brain, note)),
        ...risky,
        ...(until !== null && { snoozed_until: until }),
      });
    }
    return {
      count: page.length,
      total: queue.length,
      ...(reading && { reading }),
      ...(looking !== null && !wait && { looking: true }),
      pending: page,
    };
  },
});

/** Creation times by record: a record never changes, and a queue of thousands is read often. */
const createdTimes = new WeakMap<NoteRecord, Date>();

function keptCreatedTime(note: NoteRecord): Date {
  const kept = createdTimes.get(note);
  if (kept !== undefined) return kept;
  const created = createdTime(note);
  createdTimes.set(note, created);
  return created;
}

/** Returns every queued note with its creation time, oldest first, ties by path. */
export function pendingNotes(brain: Pick<Brain, 'catalog'>): { note: NoteRecord; created: Date }[] {
  return [...brain.catalog.notes('raw')]
    .map((note) => ({ note, created: keptCreatedTime(note) }))
    .sort((a, b) => a.created.getTime() - b.created.getTime() || compareText(a.note.path, b.note.path));
}

/**
 * Returns the creation time of a raw note: from its front matter, else the date in its name, else the earlier of the two times
 * of its file, because a copy is created later than its text was written.
 */
export function createdTime(note: Pick<NoteRecord, 'frontmatter' | 'path' | 'mtime' | 'born'>): Date {
  const { created_at, created, date } = note.frontmatter;
  const dated = /^(\d{4}-\d{2}-\d{2})-/.exec(stemOf(note.path))?.[1];
  const stated = noteTime(created_at) ?? noteTime(created) ?? noteTime(date) ?? noteTime(dated);
  return stated ?? new Date(Math.min(note.mtime, note.born ?? note.mtime));
}

/** Returns what a note asks for that is a request; nothing for any other. */
async function requestOf(brain: Brain, note: NoteRecord): Promise<Pick<PendingEntry, 'kind' | 'target'>> {
  const at = forgetTarget(note);
  if (at === null) return {};
  const target = brain.catalog.record(vaultPath(at));
  const text = target === undefined ? null : await readText(brain, target.path);
  if (target === undefined || text === null) return { kind: 'forget' };
  const { path, title } = target;
  return { kind: 'forget', target: { path, title, text: text.slice(0, SIMILAR_TEXT) } };
}

function entryOf(brain: Brain, note: NoteRecord, created: Date): Omit<PendingEntry, keyof Risky | 'similar'> {
  const { wing, hall, source, sources, extracted_by, evidence, supersedes } = note.frontmatter;
  const warnings = [note.problem, envelopeProblem(note.frontmatter)].filter((warning) => warning !== null);
  // Anybody can write the key; only the stamp proves that the pipeline made the page.
  const claimed = EXTRACTIONS.find((kind) => kind === extracted_by);
  const extraction = claimed === 'structured' || isOfPipeline(note.frontmatter) ? claimed : undefined;
  const age = brain.clock.now().getTime() - created.getTime();
  return {
    path: note.path,
    title: note.title,
    excerpt: note.excerpt,
    created_at: timestamp(created),
    age_days: Math.max(0, Math.floor(age / DAY_MS)),
    bytes: note.size,
    content_hash: note.content_hash,
    suggested: {
      ...(typeof wing === 'string' && wing !== '' && { wing }),
      ...(isHall(hall) && { hall }),
      slug: suggestedSlug(note),
    },
    ...(typeof source === 'string' && source !== '' && { source }),
    sources: Array.isArray(sources) ? sources.filter((item) => typeof item === 'string') : [],
    ...(note.origin !== undefined && { origin: note.origin }),
    ...(note.written_by !== undefined && { written_by: note.written_by }),
    ...(extraction !== undefined && { extraction }),
    unverified: evidence === 'unverified',
    can_re_extract: extraction === 'passthrough' && brain.model !== undefined,
    stale: isStale(note.frontmatter, brain.clock.now()),
    rejected_before: wasRejected(brain, note),
    ...(isSha(supersedes) && {
      ...(note.updated_at !== undefined && { revised_at: note.updated_at }),
      previous_hash: supersedes,
    }),
    warnings,
  };
}
