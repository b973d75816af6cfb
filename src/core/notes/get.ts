import * as z from 'zod';
import { isAttachment } from '../attachments/parts';
import { BrainError } from '../base/errors';
import { isSha, sha256 } from '../base/hash';
import { apart, inSlices, type Steps, Tally } from '../base/steps';
import { compareText } from '../base/text';
import { lastWritten } from '../base/time';
import { placeOf } from '../catalog/record';
import { parseNote } from '../frontmatter/parse';
import { withoutEscapes } from '../gate/escapes';
import { propertyLinks } from '../links/properties';
import { isClosed, type LinkSource, type LinkTargets, opens, resolveLink } from '../links/resolve';
import { titleOf } from '../links/title';
import { isRelative, type LinkUse } from '../markdown/address';
import { FACTS } from '../markdown/facts';
import type { Brain } from '../operation/context';
import { hashField, MAX_PATH, offsetField } from '../operation/fields';
import { operation } from '../operation/operation';
import {
  countShape,
  hallShape,
  hashShape,
  pathShape,
  timeShape,
  trustShapes,
  warningsShape,
} from '../operation/shapes';
import type { NoteNow } from '../past/review';
import { fileName, isMarkdown, type VaultPath } from '../vocabulary/paths';
import { linkTargets } from './content';
import { findVersion, type FoundText, readStatusShape, statusAt } from './history';
import { olderRootVersions, rootNotePath } from './root';
import { ROOT_URI } from './uri';
import { tagNeighbours, tagNeighbourShape } from './similar';
import { noSuchNote, noteZone, readKnown, readPath, type Target, targetFields } from './targets';
import { nearEqual, type Trust, trustOf } from './trust';

/** The most characters of a body that are returned unless the caller asks for more. */
const DEFAULT_MAX_CHARS = 40_000;

const input = z.strictObject({
  ...targetFields,
  hash: hashField.optional().describe('Content hash of the note or of one of its older versions'),
  max_chars: z.number().int().min(1).max(1_000_000).default(DEFAULT_MAX_CHARS),
  offset: offsetField.describe('Character of the body to start at, from next_offset'),
});

/** Front matter as parsed: strings, lists and maps. */
const frontmatterShape = z.record(z.string(), z.unknown());

const output = z.object({
  path: pathShape,
  title: z.string(),
  wing: z.string().optional(),
  hall: hallShape.optional(),
  status: z
    .enum([...readStatusShape.options, 'attachment'])
    .describe('attachment = a PDF file or a canvas, whose words are data'),
  frontmatter: frontmatterShape,
  body: z.string(),
  content_hash: hashShape,
  origin: z.string().optional(),
  written_by: z.string().optional(),
  updated_at: timeShape.optional(),
  ...trustShapes,
  current_hash: hashShape
    .optional()
    .describe('Told of an older version: the content_hash of the note as it is now, at superseded_by'),
  waiting: countShape.optional().describe('Other notes of the review queue with the same title'),
  supersedes: hashShape.optional(),
  history: countShape.describe('Number of older versions'),
  outgoing: z.array(pathShape),
  backlinks: z.array(pathShape),
  same_tags: z.array(tagNeighbourShape).describe('Reviewed notes that share tags, rarest first'),
  truncated: z.boolean(),
  next_offset: countShape.optional(),
  page: countShape.optional().describe('The page of an attachment on which the body begins'),
  pages: z
    .array(z.object({ page: countShape, offset: countShape }))
    .optional()
    .describe('The pages that begin in this body, with their offsets'),
  warnings: warningsShape.optional(),
});

/**
 * Reads one note with its hash, provenance and neighbours; by hash also an older version. `path` takes what a link takes: a path
 * in any spelling, a wikilink, a title or an alias. Of a PDF file or a canvas it reads the words, from a page with `#page=3`. Fails with `note_not_found`, which names the nearest notes, with `ambiguous`
 * for a name of several notes, or with `path_not_allowed` for a path outside the notes or a rejected note.
 */
export const getNote = operation({
  name: 'note',
  scope: 'read',
  mutates: false,
  input,
  output,
  async run(brain, { hash, max_chars, offset, ...target }, caller) {
    const version = hash === undefined ? null : await findVersion(brain, alone(hash, target));
    const isRoot = target.path?.trim() === ROOT_URI;
    const asked = version?.path ?? (await (isRoot ? rootNotePath(brain) : readPath(brain, target)));
    const attachment = version === null ? await readAttachment(brain, asked, target.path) : null;
    if (attachment !== null) return attachmentAnswer(brain, attachment, offset, max_chars);
    const { path, text, status, live } = version ?? (await readTarget(brain, asked));
    const { frontmatter, body, problem } = parseNote(text);
    const facts = await inSlices(apart(FACTS, body), brain.pace);
    const { wing, hall } = placeOf(path, frontmatter);
    const outgoing = new Set<VaultPath>();
    const from = { path, wing, hall };
    const properties = propertyLinks(frontmatter);
    const targets = await linkTargets(brain, body, from, properties);
    await inSlices(
      outgoingSteps([...facts.links, ...properties], from, { catalog: brain.catalog, targets }, outgoing),
      brain.pace,
    );
    const origin = asText(frontmatter.origin);
    const writtenBy = asText(frontmatter.written_by);
    const updatedAt = lastWritten(frontmatter);
    const shown = caller.human ? body : withoutEscapes({ path, frontmatter }, body);
    const page = cutBody(shown, offset, max_chars);
    const contentHash = sha256(text);
    const title = titleOf(frontmatter, facts, path);
    return {
      path,
      title,
      ...(wing !== null && { wing }),
      ...(hall !== null && { hall }),
      status,
      frontmatter: { ...frontmatter },
      body: page.text,
      content_hash: contentHash,
      ...(origin !== undefined && { origin }),
      ...(writtenBy !== undefined && { written_by: writtenBy }),
      ...(updatedAt !== undefined && { updated_at: updatedAt }),
      ...(await trustIn(brain, { path, title, content_hash: contentHash, frontmatter }, body, live)),
      ...(isSha(frontmatter.supersedes) && { supersedes: frontmatter.supersedes }),
      history:
        status === 'root'
          ? await olderRootVersions(brain, text)
          : await brain.versions.older(brain, path, text),
      outgoing: [...outgoing].sort(compareText),
      backlinks: brain.catalog.backlinks(path),
      same_tags: await inSlices(tagNeighbours(brain, path), brain.pace),
      truncated: page.next !== undefined,
      ...(page.next !== undefined && { next_offset: page.next }),
      ...(problem !== null && { warnings: [problem] }),
    };
  },
});

/** The most notes of one call. */
const MAX_NOTES = 20;

/**
 * Reads one note as `getNote` does, or with `paths` several: each is read so, an equal part of `max_chars` long, and one that cannot be
 * read is its `path` with an `error` in its place. Fails as `getNote`, and with `invalid_field` for another field beside `paths`.
 */
export const getNotes = operation({
  name: 'brain_get',
  scope: 'read',
  mutates: false,
  input: input.extend({
    paths: z
      .array(z.string().max(MAX_PATH))
      .min(1)
      .max(MAX_NOTES)
      .optional()
      .describe('Several notes instead of one'),
  }),
  output: output.partial().extend({ notes: z.array(z.looseObject({ path: z.string() })).optional() }),
  async run(brain, { paths, ...one }, caller) {
    if (paths === undefined) return getNote.run(brain, one, caller);
    const { max_chars: all, offset, ...others } = one;
    const field =
      offset > 0 ? 'offset' : Object.entries(others).find(([, given]) => given !== undefined)?.[0];
    if (field !== undefined)
      throw new BrainError(
        'invalid_field',
        `"${field}" is of one note. Give "path" in the place of "paths".`,
        { field },
      );
    const ask = { max_chars: Math.ceil(all / paths.length), offset };
    const notes: { path: string }[] = [];
    for (const path of paths)
      notes.push(
        await getNote.run(brain, { ...ask, path }, caller).catch((error: unknown) => {
          if (!(error instanceof BrainError)) throw error;
          return { path, error: { code: error.code, message: error.message } };
        }),
      );
    return { notes };
  },
});

/** Returns what a reader is told of a text before relying on it, as `trustOf`, and what a search has no time to look for. */
async function trustIn(
  brain: Brain,
  note: NoteNow & { readonly title: string },
  body: string,
  live: FoundText['live'],
): Promise<Partial<z.input<typeof output>> & Trust> {
  const { path, content_hash: hash, title } = note;
  const record = brain.catalog.record(path);
  const isNow = record?.content_hash === hash;
  const mtime = live === undefined ? record?.mtime : undefined;
  const trust = await trustOf(brain, isNow ? record : { ...note, ...(mtime !== undefined && { mtime }) });
  const near = trust.same_subject ?? (isNow ? await nearEqual(brain, record, body) : null);
  const waiting = brain.catalog.queuedAs(title).filter((at) => at !== path).length;
  return {
    ...trust,
    ...(near !== null && { same_subject: near }),
    ...(live !== undefined && { superseded_by: live.path, current_hash: live.hash }),
    ...(waiting > 0 && { waiting }),
  };
}

/** The words of an attachment, and the offset at which a call asks for them. */
type FoundAttachment = NonNullable<Awaited<ReturnType<Brain['attachments']['read']>>> & {
  readonly path: VaultPath;
  readonly from: number;
};

/** Reads the words of an attachment; null for another file, and for one that has not been read. */
async function readAttachment(
  { attachments }: Pick<Brain, 'attachments'>,
  path: VaultPath,
  given = '',
): Promise<FoundAttachment | null> {
  const read = isAttachment(path) ? await attachments.read(path) : null;
  if (read === null) return null;
  const page = Number(/#page=(\d{1,6})\b/.exec(given)?.[1] ?? 1);
  return { ...read, path, from: read.pages.find((start) => start.page >= page)?.from ?? 0 };
}

function attachmentAnswer(
  { catalog }: Pick<Brain, 'catalog'>,
  { path, markdown, pages, hash, from }: FoundAttachment,
  offset: number,
  maxChars: number,
): z.input<typeof output> {
  const start = Math.max(from, offset);
  const { text, next } = cutBody(markdown, start, maxChars);
  const isIn = (at: number): boolean => at > start && at < start + text.length;
  const page = pages.filter((each) => each.from <= start).at(-1)?.page;
  return {
    path,
    title: fileName(path),
    status: 'attachment',
    frontmatter: {},
    body: text,
    content_hash: hash,
    stale: false,
    history: 0,
    outgoing: [],
    backlinks: catalog.backlinks(path),
    same_tags: [],
    truncated: next !== undefined,
    ...(next !== undefined && { next_offset: next }),
    ...(page !== undefined && {
      page,
      pages: pages.flatMap((each) => (isIn(each.from) ? [{ page: each.page, offset: each.from }] : [])),
    }),
  };
}

/** The number of links that are counted in one step. A lookup costs as much as many links. */
const LINKS_PER_STEP = 4096;
const LOOK_UP = 32;

/** Adds the files that links open; equal links are looked up once. */
export function* outgoingSteps(
  links: readonly Pick<LinkUse, 'target' | 'kind'>[],
  from: LinkSource,
  { catalog, targets }: Pick<Brain, 'catalog'> & { readonly targets: LinkTargets },
  outgoing: Set<VaultPath>,
): Steps<void> {
  const met = { near: new Set<string>(), rooted: new Set<string>() };
  const tally = new Tally(LINKS_PER_STEP);
  for (const { target, kind } of links) {
    const relative = isRelative({ kind });
    const known = relative ? met.near : met.rooted;
    const isNew = known.size < known.add(target).size;
    if (tally.isFull(isNew ? LOOK_UP : 1)) yield;
    if (!isNew) continue;
    const opened = opens(target, from.path, catalog, relative);
    const isTold = opened !== null && opened !== from.path && catalog.covers(opened) && !isClosed(opened);
    if (isTold) outgoing.add(opened);
    if (opened !== null && (catalog.covers(opened) || isMarkdown(opened))) continue;
    // A file of which the catalog knows no more than the name is found by its whole path.
    const exact = resolveLink(target, from, targets, relative);
    if (exact.status === 'resolved' && exact.tier === 'exact') outgoing.add(exact.path);
  }
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the hash of a target that names nothing else: a note beside it might be another one. */
function alone(hash: string, target: Target): string {
  if (Object.values(target).every((given) => given === undefined)) return hash;
  throw new BrainError(
    'invalid_field',
    'Give "hash" to read that version, or "path" or the address of a note to read it as it is now, not both.',
    { field: 'hash' },
  );
}

async function readTarget(brain: Brain, path: VaultPath): Promise<FoundText> {
  const isRoot = path === (await rootNotePath(brain));
  if (noteZone(brain.catalog, path) === null && !isRoot) {
    throw new BrainError(
      'path_not_allowed',
      'Only notes in wiki/, knowledge/ and raw/ (not raw/rejected/), notes of the owner that are not left out, and the root note can be read.',
      { path },
    );
  }
  const text = await readKnown(brain, path);
  if (text === null) throw await noSuchNote(brain, path, path);
  return { path, text, status: isRoot ? 'root' : statusAt(brain.catalog, path) };
}

/** Returns a page of the body. It ends between paragraphs when such a place is near, and never splits a surrogate pair. */
function cutBody(body: string, offset: number, max: number): { text: string; next?: number } {
  const start = Math.min(startOfCharacter(body, offset), body.length);
  if (body.length - start <= max) return { text: body.slice(start) };
  const paragraphEnds = ['\n\n', '\n\r\n'].map((gap) => {
    const at = body.lastIndexOf(gap, start + max - gap.length);
    return at > start + max / 2 ? at + gap.length : 0;
  });
  let end = Math.max(...paragraphEnds) || start + max;
  const code = body.charCodeAt(end - 1);
  // A surrogate pair stays whole, even when there is room for one unit only.
  if (code >= 0xd800 && code < 0xdc00) end += end - 1 > start ? -1 : 1;
  return { text: body.slice(start, end), ...(end < body.length && { next: end }) };
}

/** Returns the position, or the one before it when it splits a surrogate pair. */
function startOfCharacter(body: string, at: number): number {
  return (body.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}
