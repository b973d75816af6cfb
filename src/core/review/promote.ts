import * as z from 'zod';
import { actsForOwner, allows, type Caller } from '../access/tokens';
import { BrainError, called } from '../base/errors';
import { sha256 } from '../base/hash';
import { LONG_TEXT, type Watch } from '../base/steps';
import { type Timestamp, timestamp } from '../base/time';
import { templateOfNote, templateRefused, templateWarning } from '../frontmatter/block';
import {
  droppedKey,
  hasTokensLock,
  LOCK_KEY,
  type OwnedValue,
  refuseLanguageFence,
  replaceBody,
  setKeys,
  withVisibleBlock,
} from '../frontmatter/compose';
import { isLocked } from '../frontmatter/note-lock';
import { type ParsedNote, parseNote } from '../frontmatter/parse';
import type { Values } from '../frontmatter/yaml';
import { isOpen } from '../gate/link-findings';
import {
  isClosed,
  type LinkSource,
  type LinkTargets,
  opens,
  pathsMeant,
  resolveLink,
  withLookups,
} from '../links/resolve';
import { isRelative } from '../markdown/address';
import { UNLINKABLE } from '../markdown/link-words';
import { BodyWork, linkTargets } from '../notes/content';
import { actingProperties } from '../notes/properties';
import { linkedPath, wingFinder } from '../notes/targets';
import { lockedNote } from '../notes/write';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { dryRunField, hallField, pathField, slugField, wingField } from '../operation/fields';
import { refuseHeld, refuseUnwritable, seenOf } from '../operation/limits';
import { operation } from '../operation/operation';
import {
  countShape,
  hallShape,
  hashShape,
  newWingShape,
  pathShape,
  refsShape,
  timeShape,
  warningsShape,
} from '../operation/shapes';
import { admitting, batchSiblings } from '../sources/batch-siblings';
import type { Step } from '../storage/commit';
import {
  fileStem,
  type Hall,
  notePath,
  promoteSlug,
  sanitiseWing,
  type Wing,
  wingIndexPath,
} from '../vocabulary/address';
import type { VaultPath } from '../vocabulary/paths';
import { allowsTunnels, stampOf } from '../vocabulary/envelope';
import { refuseAgents } from './confirm';
import { createdTime } from './pending';
import { findingsHashField, keepField, keptOf, keptParts, refuseOtherFindings } from './kept';
import { passingOver } from './risks';
import { decisionOf, expectedHashField, readReviewNote, refuseRequest, type ReviewNote } from './review-note';
import { followOf, leftWarnings, ownLinksIn, ownProperties, refreshMaps, relinkSteps } from './relink';
import { findTunnels, tunnelLinks, tunnelSource, tunnelsShape } from './tunnels';

/**
 * Returns the targets that a caller chose for links without a target or with several, by target as in the body.
 * @throws BrainError `invalid_field` for a target without such a link, and for a path with neither a reviewed note nor one of the owner's;
 * `path_not_allowed` for one outside the vault
 */
async function linkChoices(
  brain: Pick<Brain, 'catalog' | 'vault' | 'pace'>,
  work: BodyWork,
  body: string,
  from: LinkSource,
  given: Readonly<Record<string, string>>,
  addTargets: (targets: LinkTargets) => LinkTargets,
): Promise<ReadonlyMap<string, VaultPath>> {
  const choices = new Map<string, VaultPath>();
  if (Object.keys(given).length === 0) return choices;
  const targets = addTargets(await linkTargets(brain, body, from));
  const { links } = await work.facts(body);
  for (const [target, path] of Object.entries(given)) {
    const meant = links
      .filter((link) => link.target === target)
      .map((link) => resolveLink(target, from, targets, isRelative(link)));
    if (meant.length === 0) throw refused(target, `the note has no link to "${target}"; read it again`);
    if (!meant.some(isOpen)) throw refused(target, `"${target}" is neither missing nor ambiguous`);
    choices.set(target, linkedNote(brain, target, path));
  }
  return choices;
}

/** Returns the path of a reviewed note or of one of the owner's, which are what a link of a note in the wiki may lead to. */
function linkedNote(brain: Pick<Brain, 'catalog'>, target: string, given: string): VaultPath {
  const path = linkedPath(brain, given);
  const status = brain.catalog.record(path)?.status;
  if (status !== 'wiki' && status !== 'knowledge' && status !== 'vault') {
    throw refused(target, `there is no note at ${path} that a link may lead to`);
  }
  if (UNLINKABLE.test(path)) throw refused(target, `${path} has a character that no link can hold`);
  return path;
}

function refused(target: string, problem: string): BrainError {
  return new BrainError('invalid_field', `"links" cannot be used: ${problem}.`, { field: 'links', target });
}

/** The most choices; an answer lists as many links, of the same length. */
const MAX_CHOICES = 200;
const MAX_TARGET = 1000;

const placeFields = {
  wing: wingField,
  hall: hallField,
  slug: slugField.optional(),
  links: z
    .record(z.string().max(MAX_TARGET), pathField)
    .refine((links) => Object.keys(links).length <= MAX_CHOICES, `names more than ${MAX_CHOICES} links`)
    .optional()
    .describe(
      'Where links lead that are missing or ambiguous: target as the note has it, path of a note in the wiki or of the owner',
    ),
  keep: keepField,
  findings_hash: findingsHashField,
  expected_hash: expectedHashField,
  dry_run: dryRunField,
};

const output = z.object({
  path: pathShape,
  from: pathShape,
  wing: z.string(),
  hall: hallShape,
  new_wing: newWingShape,
  slug: z.string(),
  content_hash: hashShape,
  promoted_at: timeShape,
  index: pathShape,
  tunnels: tunnelsShape,
  relinked: countShape,
  refs: refsShape.refs,
  warnings: warningsShape,
  body: z.string().optional().describe('The text behind the front matter as it will be; in a dry run only'),
});

/**
 * Promotes one note from the queue to the wiki: stamped, cross-linked, indexed. The raw file is removed only after the new one
 * was written and read back; its bytes stay in the history. With `links` the caller resolves missing and ambiguous links.
 * Fails with `source_missing`, `not_in_queue`, `hash_mismatch`, `destination_exists` or a naming code; the queue is unchanged
 * then.
 */
export const promoteNote = operation({
  name: 'promote',
  scope: 'review',
  mutates: true,
  input: z.strictObject({ path: pathField.optional(), source: pathField.optional(), ...placeFields }),
  output,
  run(brain, { path, source, ...rest }, caller, watch) {
    const given = path ?? source;
    if (given === undefined)
      throw new BrainError('missing_field', '"path" is required: the raw note to promote.', {
        field: 'path',
      });
    if (path !== undefined && source !== undefined && path !== source) {
      throw new BrainError('invalid_field', '"path" and "source" mean the same; give one of them.', {
        field: 'source',
      });
    }
    return moveToWiki(brain, { ...rest, op: 'promote', given }, caller, watch);
  },
});

/**
 * Adopts a note of the owner into the wiki, as a promotion does with one from the queue: stamped, cross-linked, indexed. Links
 * to it follow, also in other notes of the owner, because a person has decided to move it. Its former bytes stay in the history,
 * and `unpromote` gives it back.
 * Fails with `forbidden_scope` for a caller that does not act for the owner, with `path_not_allowed` for a note that is not the owner's or is left out, with `locked` for one that its owner has
 * locked and a caller that is no person, with `source_missing`, `hash_mismatch`, `destination_exists` or a naming code; the
 * vault is unchanged then.
 */
export const adoptNote = operation({
  name: 'adopt',
  scope: 'review',
  mutates: true,
  input: z.strictObject({ path: pathField, ...placeFields }),
  output,
  async run(brain, { path: given, ...rest }, caller, watch) {
    refuseAgents(caller, 'adopts a note');
    return moveToWiki(brain, { ...rest, op: 'adopt', given }, caller, watch);
  },
});

/** A note that is decided to move into the wiki. */
interface Decision extends z.output<z.ZodObject<typeof placeFields>> {
  readonly op: 'promote' | 'adopt';
  /** The note as the caller names it. */
  readonly given: string;
}

/** Moves a note into the wiki, with what the links of others need, as one change. */
function moveToWiki(
  brain: Brain,
  decision: Decision,
  caller: Caller,
  watch: Watch | undefined,
): Promise<Moved> {
  const { op, given, dry_run: dryRun } = decision;
  // What the caller names is checked before anything is read.
  sanitiseWing(decision.wing);
  const slug = decision.slug === undefined ? undefined : fileStem(decision.slug, 'invalid_slug');
  const at = linkedPath(brain, given);
  const work = new BodyWork(brain);
  const isLong = (brain.catalog.record(at)?.size ?? 0) >= LONG_TEXT;
  return changeVault(
    brain,
    async (): Promise<Change<Moved>> => {
      const zone = op === 'adopt' ? 'other' : 'raw';
      const note = await readReviewNote(brain, given, zone, decision.expected_hash, watch?.ifMatch);
      if (op === 'promote') refuseRequest(note);
      if (op === 'adopt' && !caller.human && isLocked(note.text)) throw lockedNote(note.path);
      const place = await placeFor(brain, { ...decision, slug }, note.path, caller);
      refuseLanguageFence(note.text);
      const promoted = await promotedText(brain, work, { ...decision, ...note, place }, caller).catch(
        op === 'promote' ? passingOver(brain, note.path) : null,
      );
      return movePlan(brain, decision, { note, place, promoted }, caller);
    },
    { dryRun, signal: watch?.signal, buildsBeforeLock: isLong },
  );
}

type Moved = z.input<typeof output>;

/** Where a note will stand in the wiki. */
interface WikiPlace {
  readonly path: VaultPath;
  readonly wing: Wing;
  readonly hall: Hall;
  readonly slug: string;
  readonly new_wing?: true;
}

/**
 * Returns where the note at `from` will stand: without a given slug, under one made of its file name.
 * @throws BrainError for a place that the caller may not write, or that is taken
 */
async function placeFor(
  brain: Brain,
  {
    wing: named,
    hall,
    slug: given,
  }: { readonly wing: string; readonly hall: Hall; readonly slug?: string | undefined },
  from: VaultPath,
  caller: Caller,
): Promise<WikiPlace> {
  const slug = given ?? promoteSlug(from);
  const wing = await wingFinder(brain)(named);
  const isNew = allows(caller, 'read') && brain.catalog.knownWing(wing) === null;
  const path = notePath({ wing, hall, slug });
  refuseUnwritable(brain, path);
  await refuseTaken(brain, path);
  return { path, wing, hall, slug, ...(isNew && { new_wing: true }) };
}

/** What is known of a note that moves. */
interface Move {
  readonly note: ReviewNote;
  readonly place: WikiPlace;
  readonly promoted: Awaited<ReturnType<typeof promotedText>>;
}

/** Plans the move: the note gets its new text and place, and links to it follow. */
async function movePlan(
  brain: Brain,
  { op, dry_run: dryRun }: Decision,
  { note, place, promoted }: Move,
  caller: Caller,
): Promise<Change<Moved>> {
  const [from, to] = [note.path, place.path];
  // A token leaves the owner's notes alone, also a link in them to the queue.
  const follow = { ...followOf(brain, caller), ...(op === 'adopt' && { owners: () => true }) };
  const { steps: relinks, left } = await relinkSteps(brain.whole, new Map([[from, to]]), follow);
  const warnings = [...promoted.warnings, ...leftWarnings(brain, left)];
  const relinked = relinks.map(({ path }) => path);
  const result = {
    ...place,
    from,
    content_hash: sha256(promoted.text),
    promoted_at: promoted.promotedAt,
    index: wingIndexPath(place.wing),
    tunnels: promoted.tunnels,
    relinked: seenOf(brain, relinked).length,
    refs: promoted.refs,
    warnings,
  };
  if (dryRun) return { plan: null, result: { ...result, body: promoted.body } };
  const steps: Step[] = [
    { kind: 'create', path: to, text: promoted.text },
    { kind: 'remove', path: from, before: note.hash },
    ...relinks,
  ];
  return {
    plan: { op, decision: decisionOf(caller, promoted.text), steps },
    result,
    isIndependent: true,
    forOwner: actsForOwner(caller),
    async finish(skipped) {
      const missed = seenOf(brain, skipped);
      result.relinked -= missed.length;
      for (const path of missed)
        warnings.push(`${path} changed meanwhile; its link to the moved note was left as it is.`);
      await refreshMaps(brain, [to, ...promoted.tunnels.map(({ path }) => path), ...relinked], warnings);
    },
  };
}

/** @throws BrainError `destination_exists`, `taken` */
export async function refuseTaken(
  brain: Pick<Brain, 'catalog' | 'vault' | 'limits' | 'whole'>,
  to: VaultPath,
): Promise<void> {
  refuseHeld(brain, to);
  const { catalog, vault } = brain;
  const taken = catalog.taken(to) ?? ((await vault.stat(to)) === null ? null : to);
  if (taken === null) return;
  throw new BrainError(
    'destination_exists',
    `There is already a note at ${taken}. Choose another slug, or change that note with ${called('update', 'an update')}.`,
    { path: taken },
  );
}

/** A note that gets an address, and what a person chose for it. */
interface PromotedNote extends ReviewNote, Pick<Decision, 'op' | 'links' | 'keep' | 'findings_hash'> {
  readonly place: WikiPlace;
}

/** Returns targets among which a link that opens a file in the note at `at` leads to that file. */
function openedAt(catalog: Brain['catalog'], at: VaultPath, targets: LinkTargets): LinkTargets {
  return withLookups(targets, {
    within(target, relative) {
      const path = opens(target, at, catalog, relative);
      const { rooted } = pathsMeant(target, at, relative);
      if (path === null) return rooted.some(isClosed) ? null : { status: 'missing' };
      return isClosed(path) ? null : { status: 'resolved', path, tier: 'exact' };
    },
  });
}

/** Returns the text of the promoted note with warnings; writes nothing. */
async function promotedText(brain: Brain, work: BodyWork, note: PromotedNote, caller: Caller) {
  const { path: from, place, links = {} } = note;
  const { path: to, wing, hall } = place;
  const { text, warnings: shown } = withVisibleBlock(note.text);
  const template = templateOfNote(text);
  if (template !== null && !caller.human) throw templateRefused(template, from);
  const old = parseNote(text);
  const ignored: string[] = [];
  // The owner's own properties stay when a person adopts a note.
  const acting = note.op === 'adopt' ? null : await actingProperties(brain, text);
  const undecided = { ...old, path: from, properties: acting?.changes ?? [] };
  await refuseOtherFindings(brain, work, undecided, note.findings_hash);
  const keep = await keptParts(brain, work, undecided, note.keep, caller, ignored);
  const { numbers, parts } = keptOf(undecided.properties, keep);
  const safe = acting?.text(numbers) ?? text;
  const siblings = admitting(await batchSiblings(brain, from));
  // What an owner's link opens where the note was, it opens in the wiki.
  const addTargets = (targets: LinkTargets): LinkTargets =>
    note.op === 'adopt' ? openedAt(brain.catalog, from, siblings(targets)) : siblings(targets);
  const gated = await work.gate(
    {
      body: old.body,
      from: place,
      choices: await linkChoices(brain, work, old.body, place, links, addTargets),
      mode: 'promote',
      ...(keep && { keep: parts }),
    },
    addTargets,
  );
  const now = work.timeOf(sha256(note.text));
  const promotedAt = timestamp(now);
  const stamp = stampOf(caller);
  const facts = await work.facts(gated.body);
  const tunnels = allowsTunnels(old.frontmatter)
    ? findTunnels(brain, tunnelSource(to, old.frontmatter, facts))
    : [];
  const stat = await brain.vault.stat(from);
  const created = createdTime({ frontmatter: old.frontmatter, path: from, mtime: now.getTime(), ...stat });
  const set: Record<string, OwnedValue> = {
    wing,
    hall,
    ...missingKeys(old.frontmatter, hall, timestamp(created)),
    // Who adopts a note of the owner has not written it.
    ...(note.op === 'promote' && isUnstamped(old.frontmatter) && stamp),
    promoted_at: promotedAt,
    promoted_by: stamp.written_by,
    ...(tunnels.length > 0 && { tunnels: tunnelLinks(brain, tunnels) }),
  };
  const drop = droppedAtPromotion(old);
  const stamps = note.op === 'adopt' ? WRITER_KEYS : [];
  const composed = setKeys(ownProperties(brain, safe, from, to), set, [...drop, ...stamps]);
  const body = await ownLinksIn(brain, gated.body, from, to);
  const promoted = replaceBody(composed.text, body);
  const { problem } = parseNote(promoted);
  return {
    text: promoted,
    body,
    promotedAt,
    tunnels,
    refs: [
      ...(acting?.refs ?? []).map((ref, index) => ({ ...ref, unlinked: !numbers.has(index) })),
      ...gated.refs,
    ],
    warnings: [
      ...shown,
      ...ignored,
      ...(template === null ? [] : [templateWarning(template)]),
      ...drop.map(droppedKey),
      ...composed.warnings,
      ...(problem === null ? [] : [problem]),
      ...gated.warnings,
    ],
  };
}

/** Returns the keys that a promotion adds where the note has no value of its own. */
function missingKeys(
  { source, sources, source_type, created_at }: Values,
  hall: Hall,
  created: Timestamp,
): Record<string, OwnedValue> {
  const isInternal = hall === 'facts' && (source ?? sources ?? source_type ?? null) === null;
  return {
    ...(typeof created_at === 'string' && created_at !== '' ? {} : { created_at: created }),
    ...(isInternal && { source_type: 'internal' }),
  };
}

function isUnstamped({ origin, written_by }: Values): boolean {
  return (origin ?? written_by ?? null) === null;
}

/** Returns the keys that a promotion drops: a lock in a text that a token wrote was not set by the owner. */
function droppedAtPromotion(note: ParsedNote): string[] {
  return hasTokensLock(note) ? [LOCK_KEY] : [];
}

/** The stamps of a writer, which an adopted note loses: a copy of an agent's note has them too, and it is the owner's now. */
const WRITER_KEYS = ['origin', 'written_by'];
