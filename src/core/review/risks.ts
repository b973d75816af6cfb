import type * as z from 'zod';
import { inTurns } from '../base/concurrency';
import { BrainError } from '../base/errors';
import { apart, inSlices, type Steps, Tally } from '../base/steps';
import { areNear, type Sketch, sketchSteps } from '../catalog/alike';
import { isRejection, type NoteRecord } from '../catalog/record';
import { wingKey } from '../catalog/wings';
import { templateOfNote } from '../frontmatter/block';
import { parseNote } from '../frontmatter/parse';
import { ACTING } from '../gate/apart';
import { isRelative, splitTarget } from '../markdown/address';
import { resolveLink, titleKey } from '../links/resolve';
import { actingProperties } from '../notes/properties';
import type { Brain } from '../operation/context';
import type { harmlessShape, KeptOf } from '../operation/sent';
import { type Hall, isHall, notePath, slugify, type Wing, withoutDatePrefix } from '../vocabulary/address';
import { stemOf, type VaultPath } from '../vocabulary/paths';

/** The reasons to look at a queued note twice before it is promoted. */
export const RISKS = [
  'active_content',
  'made_harmless',
  'link_removed',
  'collision',
  'near_duplicate',
  'unverified',
  'rejected_before',
] as const;
type Risk = (typeof RISKS)[number];

/** The marks of which a construct that fetches, runs or deceives has one. The target of a wikilink may be an address. */
const ACTIVE_MARK = /[<`]|~~~|\][([:]|!\[|obsidian:|\[\[(?:[^[\]|]*[:%]|[^[\]|\w]*[\\/])/i;

/** Returns false for a text in which the gate finds nothing active, so that its run can be spared. */
export function mayBeActive(body: string): boolean {
  return ACTIVE_MARK.test(body);
}

/** Facts of texts by record: a record never changes, and a changed note gets a new one. */
const sketches = new WeakMap<NoteRecord, Sketch>();
const activeNotes = new WeakMap<NoteRecord, boolean>();

type Reading = Pick<Brain, 'catalog' | 'alike' | 'vault' | 'config' | 'pace' | 'log' | 'whole'>;

/** Reads the text of a note; null while its file cannot be read. */
async function textOf({ vault, log }: Reading, { path }: NoteRecord): Promise<string | null> {
  try {
    return await vault.read(path);
  } catch (error) {
    // The catalog soon learns of a file that is no text any more.
    log.warn('risks.read', { path, message: String(error) });
    return null;
  }
}

/** Returns true for the refusal of a text that ended what read it. */
function isEntangled(error: unknown): error is BrainError {
  return error instanceof BrainError && error.code === 'too_entangled';
}

/** Leaves a note out of everything from now on, because its text ended what read it. The doctor names it. */
function passOver({ catalog, log }: Passing, path: VaultPath, { message }: BrainError): void {
  log.warn('risks.entangled', { path });
  catalog.addUnreadable(path, message, { entangled: true });
}

type Passing = Pick<Brain, 'catalog' | 'log'>;

/** Returns a handler that throws an error again, and passes over the note whose text is the reason. */
export function passingOver(brain: Passing, path: VaultPath): (error: unknown) => never {
  return (error) => {
    if (isEntangled(error)) passOver(brain, path, error);
    throw error;
  };
}

/** Returns the sketch of a note, from its file at the first call; null while that cannot be read. */
async function sketchOf(brain: Reading, note: NoteRecord): Promise<Sketch | null> {
  const known = sketches.get(note);
  if (known !== undefined) return known;
  const text = await textOf(brain, note);
  if (text === null) return null;
  const { body } = await brain.pace.run(() => parseNote(text));
  const sketch = await inSlices(sketchSteps(body), brain.pace);
  sketches.set(note, sketch);
  return sketch;
}

/** Returns true when the gate makes something of the note or of its properties harmless, or it has template code. */
async function isActive(brain: Reading, note: NoteRecord): Promise<boolean> {
  const known = activeNotes.get(note);
  if (known !== undefined) return known;
  const text = await textOf(brain, note);
  if (text === null) return false;
  const { body } = await brain.pace.run(() => parseNote(text));
  let found = templateOfNote(text) !== null;
  try {
    found ||= (await actingProperties(brain, text)).changes.length > 0;
    found ||= await hasActiveContent(brain, note, body);
  } catch (error) {
    if (!isEntangled(error)) throw error;
    passOver(brain, note.path, error);
    return true;
  }
  activeNotes.set(note, found);
  return found;
}

async function hasActiveContent(brain: Reading, note: NoteRecord, body: string): Promise<boolean> {
  if (!mayBeActive(body)) return false;
  const { gateActiveContent } = brain.config;
  const open = await inSlices(apart(ACTING, { body, activeContent: gateActiveContent }), brain.pace);
  if (open === null) return true;
  const leads = await inSlices(leadSteps(brain, note, open), brain.pace);
  return !leads;
}

/** Tells in steps whether every target of a wikilink leads to a note. */
function* leadSteps(
  { catalog }: Pick<Brain, 'catalog'>,
  note: NoteRecord,
  targets: readonly string[],
): Steps<boolean> {
  const tally = new Tally(LINKS_PER_STEP);
  for (const target of targets) {
    if (tally.isFull()) yield;
    if (resolveLink(splitTarget(target).name.trim(), note, catalog).status !== 'resolved') return false;
  }
  return true;
}

/** The files that are read at a time. */
const READS = 8;

/**
 * Looks for near-equal notes among those that are new in the queue, in the background. Returns null when none is new, else a
 * promise that resolves when all are known. A first call reads the files of the whole queue.
 */
export function findAlike(brain: Reading, queue: readonly NoteRecord[]): Promise<void> | null {
  const { alike } = brain;
  const paths = new Set(queue.map(({ path }) => path));
  for (const path of alike.paths) if (!paths.has(path)) alike.remove(path);
  const isNew = (note: NoteRecord): boolean => !alike.has(note);
  if (!queue.some(isNew)) return null;
  const read = async (): Promise<void> => {
    await inTurns(queue.filter(isNew), READS, async (note) => {
      const sketch = await sketchOf(brain, note);
      if (sketch === null) return;
      await brain.pace.run(() => alike.add(note, sketch));
    });
  };
  alike.reading = alike.reading.then(read, read);
  // Only a caller that waits gets the failure, which is that the vault is being closed.
  alike.reading.catch(() => undefined);
  return alike.reading;
}

/** What a person looks at twice in a queued note. */
export interface Risky {
  /** In the order of `RISKS`. */
  readonly risks: Risk[];
  /** The note at the suggested address. */
  readonly collision?: VaultPath;
  /** The near-equal notes in the queue that `findAlike` has found so far, sorted, at most ten. */
  readonly same: VaultPath[];
  /** What the gate did to the text when it came in. */
  readonly made_harmless?: z.input<typeof harmlessShape>;
}

/** Adds their risks to some queued notes. */
export async function withRisks<Listed extends { readonly note: NoteRecord }>(
  brain: Reading,
  listed: readonly Listed[],
): Promise<(Listed & { readonly risky: Risky })[]> {
  const keptOf = await brain.whole.sent.look();
  return inTurns(listed, READS, async (one) => ({ ...one, risky: await riskyOf(brain, one.note, keptOf) }));
}

/** Finds the risks of a queued note. Its near-equal notes are those that `findAlike` has found so far. */
export async function riskyOf(brain: Reading, note: NoteRecord, keptOf: KeptOf): Promise<Risky> {
  const isDangerous = await isActive(brain, note);
  const same = brain.alike.of(note.path);
  const isNear = same.length > 0 || (await hasReviewedTwin(brain, note));
  const losesLink = await inSlices(lossSteps(brain, note), brain.pace);
  return brain.pace.run(() => {
    const collision = collisionOf(brain, note);
    const kept = keptOf(note);
    const found: Readonly<Record<Risk, boolean>> = {
      active_content: isDangerous,
      made_harmless: kept !== null,
      link_removed: losesLink,
      collision: collision !== null,
      near_duplicate: isNear,
      unverified: note.frontmatter.evidence === 'unverified',
      rejected_before: wasRejected(brain, note),
    };
    return {
      risks: RISKS.filter((risk) => found[risk]),
      ...(collision !== null && { collision }),
      same,
      ...(kept !== null && {
        made_harmless: { count: kept.count, findings: kept.findings, changed: kept.changed },
      }),
    };
  });
}

/** Returns true when a note that says the same was rejected. */
export function wasRejected({ catalog }: Pick<Brain, 'catalog'>, note: NoteRecord): boolean {
  return catalog.keyOwners(note.content_key).some((path) => {
    const other = path === note.path ? undefined : catalog.record(path);
    return other !== undefined && isRejection(other);
  });
}

/** Returns the note at the address that a queued note suggests, or null. */
function collisionOf({ catalog }: Pick<Brain, 'catalog'>, note: NoteRecord): VaultPath | null {
  const at = suggestedAddress({ catalog }, note);
  return at === null ? null : catalog.taken(notePath(at));
}

/** Returns the address that a queued note suggests; null when it names no wing or hall that can be used. */
export function suggestedAddress(
  { catalog }: Pick<Brain, 'catalog'>,
  note: NoteRecord,
): { readonly wing: Wing; readonly hall: Hall; readonly slug: string } | null {
  const { wing: named, hall } = note.frontmatter;
  const wing = typeof named === 'string' && named !== '' ? wingKey(named) : null;
  return wing === null || !isHall(hall)
    ? null
    : { wing: catalog.wingSpelling(wing), hall, slug: suggestedSlug(note) };
}

/** Returns the slug that a queued note suggests: that of its file name without the date. */
export function suggestedSlug({ path, content_hash: hash }: NoteRecord): string {
  return slugify(withoutDatePrefix(stemOf(path)), hash);
}

/** Tells in steps whether a link of the note leads to nothing that a note of the wiki may link to, so that it becomes text. */
function* lossSteps({ catalog }: Pick<Brain, 'catalog'>, note: NoteRecord): Steps<boolean> {
  const tally = new Tally(LINKS_PER_STEP);
  for (const { target, kind } of note.links) {
    if (tally.isFull()) yield;
    const { status } = resolveLink(target, note, catalog, isRelative({ kind }));
    if (status === 'resolved' || status === 'self') continue;
    // A file that the catalog does not cover is looked up on the disk when the note is promoted.
    if (status === 'missing' && FILE_NAME.test(target) && !catalog.covers(target)) continue;
    return true;
  }
  return false;
}
/** The links that one step resolves. */
const LINKS_PER_STEP = 512;

const FILE_NAME = /\.\w{1,10}$/;

/** Returns true when a reviewed note says the same, or has the same title and nearly the same text. */
async function hasReviewedTwin(brain: Reading, note: NoteRecord): Promise<boolean> {
  const { catalog } = brain;
  const isReviewed = (path: VaultPath): boolean => {
    const status = catalog.record(path)?.status;
    return status === 'wiki' || status === 'knowledge';
  };
  if (catalog.keyOwners(note.content_key).some(isReviewed)) return true;
  for (const path of catalog.candidates('title', titleKey(note.title)).slice(0, MAX_TITLED)) {
    const other = catalog.record(path);
    const [one, two] = [await sketchOf(brain, note), other && (await sketchOf(brain, other))];
    if (one && two && areNear(one, two)) return true;
  }
  return false;
}

/** The reviewed notes of one title that are compared. */
const MAX_TITLED = 4;
