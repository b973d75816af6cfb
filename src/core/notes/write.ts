import * as z from 'zod';
import { actsForOwner, allows, type Caller } from '../access/tokens';
import { BrainError, called } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import type { StopSignal } from '../base/host';
import { LONG_TEXT } from '../base/steps';
import { listNearest } from '../base/text';
import { localDate, timestamp } from '../base/time';
import {
  composeWrite,
  hasValue,
  openContent,
  type OpenedContent,
  type WriteOptions,
} from '../frontmatter/compose';
import { isLocked } from '../frontmatter/note-lock';
import { parseNote } from '../frontmatter/parse';
import type { Flat } from '../frontmatter/yaml';
import type { Gated } from '../gate/gate';
import { titleOf } from '../links/title';
import { isUnsafeAddress } from '../markdown/address';
import { type Change, changeConcurrently } from '../operation/change';
import {
  firstNumber,
  freePath,
  hashForName,
  mayWrite,
  refuseInstructionFile,
  refuseInstructions,
  refuseHeld,
} from '../operation/limits';
import { mayChangeText, notOurs } from '../operation/owner';
import type { Brain } from '../operation/context';
import {
  contentField,
  dryRunField,
  envelopeFields,
  frontmatterField,
  hallField,
  slugField,
  wingField,
} from '../operation/fields';
import { operation } from '../operation/operation';
import { type WriteResult, writeResultShape } from '../operation/shapes';
import type { Plan } from '../storage/commit';
import {
  fileStem,
  type Hall,
  numbered,
  hasSigns,
  rawPath,
  requireBothOrNone,
  slugify,
  type Wing,
  writtenWing,
  wingIndexPath,
  wingOfPath,
} from '../vocabulary/address';
import { isWriter, stampName, stampOf } from '../vocabulary/envelope';
import { type VaultPath, vaultPath, zoneOf } from '../vocabulary/paths';
import { prepareMap, refreshWings } from '../wings/refresh';
import { BodyWork, checkContent } from './content';
import { refusePlaceholder } from './losses';
import { openingTitle, withLineBreaks } from './opening';
import { safeProperties, withFound } from './properties';
import { refuseRejected } from './rejected';
import { wingFinder } from './targets';

/** A note to place, with validated fields. */
interface Draft {
  readonly content: string;
  readonly wing?: string | undefined;
  readonly hall?: Hall | undefined;
  /** True when a wing without a hall, or the reverse, is a suggestion for the review; otherwise it is an error. */
  readonly suggests?: boolean | undefined;
  /**
   * A supplied name, used unchanged; an existing note with it is a conflict. Without one the name comes from the title or the first
   * words of the text, which become its title, and gets a number when it is taken.
   */
  readonly stem?: string | undefined;
  /** True when the title of the front matter is the first words of the text. */
  readonly derivesTitle?: boolean;
  readonly options: WriteOptions;
  readonly frontmatter?: Flat | undefined;
  readonly overwrite?: boolean | undefined;
  /** What was found in the text before. */
  readonly warnings?: readonly string[];
  readonly dryRun?: boolean | undefined;
  /** Stops when no caller waits for the note any more. */
  readonly signal?: StopSignal | undefined;
  /** True when the note goes to the review queue, whoever writes it. */
  readonly forReview?: boolean | undefined;
}

/**
 * The destination of a draft: its address, `knowledge/`, or the review queue for a review, half an address, or a token that may
 * only propose. `half` is the half of an address that was given.
 * `pathOf(stem, n)` returns the n-th path to try.
 */
interface Destination {
  readonly address: { readonly wing?: string; readonly hall?: Hall } | null;
  readonly half: 'wing' | 'hall' | null;
  readonly queued: boolean;
  /** True when the caller may write, but not at the address of the draft. */
  readonly isOutside: boolean;
  readonly folder: string;
  pathOf(stem: string, n: number): VaultPath;
}

async function placeOf(brain: Brain, draft: Draft, caller: Caller): Promise<Destination> {
  const half = (draft.suggests ?? false) ? halfOf(draft) : null;
  if (half === null) requireBothOrNone(draft.wing, draft.hall);
  const wing = draft.wing === undefined ? undefined : await wingFinder(brain)(draft.wing);
  const { hall } = draft;
  const given: { wing?: string; hall?: Hall } = {
    ...(wing !== undefined && { wing }),
    ...(hall !== undefined && { hall }),
  };
  const address = wing === undefined && hall === undefined ? null : given;
  const folder = wing === undefined || hall === undefined ? 'knowledge' : `wiki/${wing}/${hall}`;
  const isProposed = draft.forReview === true || half !== null || !allows(caller, 'write');
  const isOutside = !isProposed && !mayWrite(brain, vaultPath(`${folder}/x.md`));
  if (isProposed || isOutside) {
    const date = localDate(brain.clock.now());
    const pathOf = (stem: string, n: number) => rawPath(date, stem, n);
    // The name as written is that of the wing which the promotion makes.
    if (draft.wing !== undefined && hasSigns(draft.wing)) given.wing = writtenWing(draft.wing);
    return { address, half, queued: true, isOutside, folder: 'raw', pathOf };
  }
  const pathOf = (stem: string, n: number) => vaultPath(`${folder}/${numbered(stem, n)}.md`);
  return { address, half, queued: false, isOutside, folder, pathOf };
}

function halfOf({ wing, hall }: Draft): Destination['half'] {
  if ((wing === undefined) === (hall === undefined)) return null;
  return wing === undefined ? 'hall' : 'wing';
}

/** A draft, and the values that are derived from it once, before any path is tried. */
interface Placement {
  readonly brain: Brain;
  readonly draft: Draft;
  readonly caller: Caller;
  readonly place: Destination;
  readonly opened: OpenedContent;
  /** The front matter of the call and of the content, which wins. */
  readonly merged: Readonly<Record<string, unknown>>;
  readonly stem: string;
  readonly stamp: { readonly created_at: string } & ReturnType<typeof stampOf>;
  readonly work: BodyWork;
}

/**
 * Places a new note in the vault: it gates and stamps the text, merges the front matter, resolves a collision of names, creates
 * the file durably and refreshes the map of the wing. Whatever makes a note of one text uses it; documents are placed by `core/ingest`.
 * @throws BrainError `note_exists`, `not_ours`, `locked`, `rejected_before`, `forbidden_scope`, or an error of the rules. The vault is unchanged then.
 */
export async function placeNote(brain: Brain, sent: Draft, caller: Caller): Promise<WriteResult> {
  const place = await placeOf(brain, sent, caller);
  if (sent.overwrite && place.isOutside) {
    throw new BrainError(
      'forbidden_scope',
      `This token may not replace a note in ${placeName(place)}. ${brain.limits?.description ?? ''}`,
    );
  }
  if (sent.overwrite && place.queued) {
    throw new BrainError(
      'forbidden_scope',
      'This token may only propose notes; replacing one needs the scope "write".',
      {
        scope: 'write',
      },
    );
  }
  const opened = openContent(sent.content);
  const { draft, stem } = await named(brain, sent, opened);
  const stamp = { created_at: timestamp(brain.clock.now()), ...stampOf(caller) };
  const merged = { ...asParsed(draft.frontmatter), ...opened.frontmatter };
  const work = new BodyWork(brain);
  const placement = { brain, draft, caller, place, opened, merged, stem, stamp, work };
  const standing = brain.catalog.record(place.pathOf(stem, 1));
  return changeConcurrently(brain, () => planPlacement(placement), {
    dryRun: draft.dryRun,
    signal: draft.signal,
    buildsBeforeLock: draft.content.length >= LONG_TEXT || (standing?.size ?? 0) >= LONG_TEXT,
  });
}

/** Returns the name of a draft, and the draft with the title that its first words are when it has neither. */
async function named(
  brain: Brain,
  draft: Draft,
  { body, frontmatter }: OpenedContent,
): Promise<{ readonly draft: Draft; readonly stem: string }> {
  if (draft.stem !== undefined) return { draft, stem: draft.stem };
  const { own, words } = await openingTitle(brain, body, { ...asParsed(draft.frontmatter), ...frontmatter });
  const stem = slugify(own ?? words, hashForName(brain, draft.content));
  // A title that acts would be made harmless with a warning about what nobody has sent.
  const isTitle = words !== '' && !('title' in frontmatter) && !isUnsafeAddress(words);
  return {
    draft: isTitle
      ? { ...draft, derivesTitle: true, frontmatter: { ...draft.frontmatter, title: words } }
      : draft,
    stem,
  };
}

/** Returns the folder of the address that a draft names. */
function placeName({ address }: Destination): string {
  return address === null ? 'knowledge/' : `wiki/${address.wing ?? ''}/${address.hall ?? ''}/`;
}

async function planPlacement(placement: Placement): Promise<Change<WriteResult>> {
  const { brain, draft, place, stem } = placement;
  const wanted = place.pathOf(stem, 1);
  if (draft.stem !== undefined) refuseHeld(brain, wanted);
  // Where names tell nothing, the name without a number is nobody's.
  const isNumbered = firstNumber(brain, wanted) > 1;
  const path = brain.catalog.taken(wanted) ?? wanted;
  const existing = isNumbered ? UNREADABLE : await readExisting(brain, path, draft.stem === undefined);
  if (existing === null && draft.stem !== undefined)
    return creation(placement, await buildNote(placement, wanted));
  if (existing !== null && existing !== UNREADABLE) {
    const change = await repeatOrReplace(placement, path, existing);
    if (change !== null) return change;
  }
  const tried: VaultPath[] = [];
  const free =
    existing === null
      ? wanted
      : await freePath(brain, (n) => {
          const each = place.pathOf(stem, n);
          tried.push(each);
          return each;
        });
  const built = await buildNote(placement, free);
  // A repeated call whose note got a number finds that note again. A note that the service names may also have another name.
  const folder = draft.stem === undefined ? place.folder : null;
  const candidates = await likelyDuplicates(placement, {
    taken: tried.slice(isNumbered ? 0 : 1, -1),
    folder,
    path,
    body: built.gated.body,
  });
  for (const duplicate of candidates) {
    const text = await readExisting(brain, duplicate, true);
    if (text === null || text === UNREADABLE) continue;
    const again = await buildNote(placement, duplicate, text);
    if (isRepeat(placement, text, again))
      return changeOf(placement, again, { plan: null, hash: sha256(text) });
  }
  return creation(placement, built);
}

/** The text of a draft for one path. */
interface BuiltNote {
  readonly path: VaultPath;
  readonly gated: Gated;
  readonly composed: ReturnType<typeof composeWrite>;
}

/** Gates and composes the text for a path. `replaced` is the text of the note there, if there is one. */
async function buildNote(placement: Placement, path: VaultPath, replaced?: string): Promise<BuiltNote> {
  const { brain, draft, caller, place, opened, stamp, work } = placement;
  const standing = replaced === undefined ? undefined : parseNote(replaced);
  const current = standing?.body;
  const { type, domain } = draft.options;
  const said = { type, domain };
  const safe = await safeProperties(brain, opened, draft.frontmatter, standing?.frontmatter ?? {}, said);
  const gated = await work.gate({
    body: opened.body,
    ...(current !== undefined && { current }),
    from: { path, wing: place.address?.wing ?? null, hall: place.address?.hall ?? null },
    mode: 'full',
    blind: !allows(caller, 'read'),
  });
  const composed = composeWrite(safe.opened, gated.body, {
    address: place.address,
    ...stamp,
    options: { ...draft.options, ...safe.fields },
    ...(safe.frontmatter && { frontmatter: safe.frontmatter }),
    current: replaced,
  });
  return { path, gated: withFound(gated, safe), composed };
}

/**
 * Plans a call whose name belongs to an existing note: it changes nothing when that note says the same, and replaces the note
 * when the call asks for it. Returns null when the draft needs another name.
 * @throws BrainError `not_ours`, `locked`, `rejected_before`, or `note_exists` when the caller supplied the name.
 */
async function repeatOrReplace(
  placement: Placement,
  path: VaultPath,
  existing: string,
): Promise<Change<WriteResult> | null> {
  const { brain, draft, place, caller } = placement;
  const built = await buildNote(placement, path, existing);
  const before = sha256(existing);
  if (isRepeat(placement, existing, built)) return changeOf(placement, built, { plan: null, hash: before });
  if (draft.overwrite) {
    // A name that folds to the wanted one may be that of a note outside the folders of the service.
    if (zoneOf(path) === 'other' || !mayChangeText(caller, path, existing)) throw notOurs(path);
    refuseInstructionFile(caller, path);
    if (isLocked(existing)) throw lockedNote(path);
    const old = parseNote(existing);
    if (!caller.human) refusePlaceholder(placement.opened.body, old.body);
    const text = built.composed.text;
    const plan = { op: 'overwrite', steps: [{ kind: 'edit', path, before, text } as const] };
    const isBlind = !isWriter(old.frontmatter.written_by, stampName(caller));
    const isTold = !caller.human && allows(caller, 'read');
    const losses = isTold ? await placement.work.losses(before, old, built.gated.body, isBlind) : [];
    const same = brain.catalog.record(path)?.content_key;
    const rejected = await refuseRejected(brain, caller, placement.work, text, same);
    const warnings = [...rejected, ...losses];
    return changeOf(placement, built, { plan, hash: sha256(text), previous: before, warnings });
  }
  if (draft.stem !== undefined && !place.queued)
    throw noteExists(path, before, mayChangeText(caller, path, existing));
  return null;
}

async function creation(placement: Placement, built: BuiltNote): Promise<Change<WriteResult>> {
  const { brain, caller, work } = placement;
  const { path, composed } = built;
  refuseInstructions(caller, [path]);
  const warnings = await refuseRejected(brain, caller, work, composed.text);
  const plan = { op: 'write', steps: [{ kind: 'create', path, text: composed.text } as const] };
  return changeOf(placement, built, { plan, hash: sha256(composed.text), created: true, warnings });
}

async function changeOf(
  placement: Placement,
  { path, gated, composed }: BuiltNote,
  outcome: {
    plan: Plan | null;
    hash: Sha;
    previous?: Sha;
    created?: boolean;
    warnings?: readonly string[];
  },
): Promise<Change<WriteResult>> {
  const { brain, draft, caller, place, merged, work } = placement;
  const wing = place.queued ? null : wingOfPath(path);
  const warnings = [
    ...(draft.warnings ?? []),
    ...composed.warnings,
    ...(outcome.warnings ?? []),
    ...gated.warnings,
  ];
  const queued = whyQueued(placement);
  if (queued !== null) warnings.push(queued);
  const isNewWing = wing !== null && brain.catalog.knownWing(wing) === null && allows(caller, 'read');
  if (isNewWing) warnings.push(...newWingWarning(brain, wing));
  const facts = await work.facts(gated.body);
  const result: WriteResult = {
    path,
    content_hash: outcome.hash,
    ...place.address,
    ...(isNewWing && { new_wing: true as const }),
    slug: path.slice(path.lastIndexOf('/') + 1, -'.md'.length),
    created: outcome.created === true,
    replaced: outcome.previous !== undefined,
    unchanged: outcome.plan === null,
    ...(outcome.previous !== undefined && { previous_hash: outcome.previous }),
    ...(wing !== null && { index: wingIndexPath(wing) }),
    similar: await work.similar(brain, path, titleOf(merged, facts, path), facts.plain),
    refs: gated.refs,
    unlinked: gated.unlinked,
    warnings,
  };
  const map = wing === null ? undefined : prepareMap(brain, wing);
  const finish = () => refreshWings(brain, [wing], warnings, map);
  const plan = draft.dryRun ? null : outcome.plan;
  const meanwhile = () => map?.begin();
  const forOwner = actsForOwner(caller);
  const { type, domain } = draft.options;
  const sent = { text: draft.content, fields: { ...draft.frontmatter, type, domain } };
  const arrival = { path, text: composed.text, sent, body: placement.opened.body, gated };
  return {
    plan,
    result,
    taken: 'note_exists',
    forOwner,
    meanwhile,
    ...(place.queued && { arrivals: [arrival] }),
    ...(!draft.dryRun && { finish }),
  };
}

/** Returns why a note waits for review that its caller did not put there; null for one at its place. */
function whyQueued({ brain, place, draft, caller }: Placement): string | null {
  if (place.isOutside)
    return `This token may not write to ${placeName(place)}: the note waits in the review queue. ${brain.limits?.description ?? ''}`;
  if (!place.queued || draft.forReview === true) return null;
  if (place.half !== null)
    return `Only a ${place.half} is given: the note waits in the review queue, with the ${place.half} as a suggestion.`;
  if (allows(caller, 'write')) return null;
  return 'This token may only propose: the note waits in the review queue; wing and hall are kept as suggestions.';
}

/** Returns a warning that a note is the first of its wing, with the names that may have been meant; none for the first wing. */
function newWingWarning({ catalog }: Pick<Brain, 'catalog'>, wing: Wing): string[] {
  const wings = catalog.wings();
  return wings.length === 0 ? [] : [`"${wing}" is a new wing. The others: ${listNearest(wings, wing)}.`];
}

/**
 * Returns true when the existing note says what the call would write. Of a note that the service names, its writer may have
 * written other blanks between the words.
 */
function isRepeat({ draft, opened, caller }: Placement, existing: string, built: BuiltNote): boolean {
  // A default source type is no reason to make another note.
  const givesSourceType =
    (draft.options.source_type ?? draft.frontmatter?.source_type) !== undefined ||
    hasValue(opened.frontmatter, 'source_type');
  const isNamed = draft.stem !== undefined;
  const [old, fresh] = [parseNote(existing), parseNote(built.composed.text)];
  const hasItsValues = Object.entries(fresh.frontmatter).every(
    ([key, value]) =>
      FRESH_KEYS.has(key) ||
      (key === 'source_type' && !givesSourceType) ||
      (key === 'title' && draft.derivesTitle === true) ||
      JSON.stringify(old.frontmatter[key]) === JSON.stringify(value),
  );
  if (!hasItsValues || old.body === fresh.body) return hasItsValues;
  if (isNamed || !isWriter(old.frontmatter.written_by, stampName(caller))) return false;
  return withoutBlanks(old.body) === withoutBlanks(fresh.body);
}

function withoutBlanks(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The number of duplicates that are compared: a call is repeated soon, and each comparison costs as much as a write. */
const MAX_DUPLICATES = 5;

/**
 * Returns the notes that may be the new one already: those at taken numbers of its name, and those of `folder` that say the same,
 * except the one at `path`. The catalog tells by content key which have to be read. A taken number without a record is
 * included: that note may still be in the making.
 */
async function likelyDuplicates(
  { brain: { catalog }, merged, work }: Placement,
  draft: {
    readonly taken: readonly VaultPath[];
    readonly folder: string | null;
    readonly path: VaultPath;
    readonly body: string;
  },
): Promise<readonly VaultPath[]> {
  const { taken, folder, path, body } = draft;
  if (taken.length === 0 && folder === null) return [];
  const key = await work.key(body, merged.title);
  const atNumbers = taken
    .map((each) => catalog.taken(each) ?? each)
    .filter((each) => [undefined, key].includes(catalog.record(each)?.content_key));
  const same = catalog
    .keyOwners(key)
    .filter((each) => each !== path && !atNumbers.includes(each))
    .filter((each) => each.slice(0, each.lastIndexOf('/')) === folder);
  return [...atNumbers.slice(-MAX_DUPLICATES), ...same.slice(-MAX_DUPLICATES)];
}

/** The value for an existing file that cannot be read. */
const UNREADABLE = Symbol('unreadable');

/**
 * Returns the text of a file; null when there is none. With `stepsAside`, for a name that the service chose, a file that cannot
 * be read gives `UNREADABLE`; otherwise it is an error.
 */
async function readExisting(
  brain: Pick<Brain, 'vault'>,
  path: VaultPath,
  stepsAside: boolean,
): Promise<string | null | typeof UNREADABLE> {
  try {
    return await brain.vault.read(path);
  } catch (error) {
    if (stepsAside && error instanceof BrainError && error.code === 'unsupported_type') return UNREADABLE;
    throw error;
  }
}

export function lockedNote(path: VaultPath): BrainError {
  return new BrainError(
    'locked',
    `${path} is locked by its owner ("locked: true"). It can only be changed in the vault.`,
    {
      path,
    },
  );
}

function noteExists(path: VaultPath, hash: Sha, mayChange: boolean): BrainError {
  const there = mayChange
    ? `There is already a note at ${path}. Read it with ${called('note', 'a read')}, then change it with ${called('update', 'an update')} (send its content_hash as expected_hash), choose another slug, or set "overwrite": true to replace it.`
    : `There is already a note of the owner at ${path}, which only the owner changes. Choose another slug, and link to it.`;
  return new BrainError('note_exists', there, { path, content_hash: hash });
}

/** Returns the front matter of a call in the form that a parsed block has: every scalar is text. */
function asParsed(frontmatter: Flat = {}): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(frontmatter).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.map(String) : String(value),
    ]),
  );
}

/** Keys that differ between two writes of the same note. */
const FRESH_KEYS = new Set(['created_at', 'origin', 'written_by']);

const input = z.strictObject({
  wing: wingField.optional(),
  hall: hallField.optional(),
  filename: slugField.optional(),
  slug: slugField.optional(),
  content: contentField,
  type: z.string().max(200).optional(),
  domain: z.string().max(200).optional(),
  source_type: z.enum(['internal', 'external']).optional().describe('Where the claim comes from'),
  ...envelopeFields,
  frontmatter: frontmatterField,
  overwrite: z.boolean().optional().describe('Replace an existing note; its old version is kept'),
  dry_run: dryRunField,
});

/**
 * Writes a new note: with wing and hall to `wiki/<wing>/<hall>/<slug>.md`, with neither to `knowledge/`. The same note again is
 * `unchanged`; another note at the address is `note_exists` unless `overwrite`.
 */
export const writeNote = operation({
  name: 'write',
  scope: 'propose',
  mutates: true,
  input,
  output: writeResultShape,
  codes: { slug: 'invalid_filename' },
  run(
    brain,
    { wing, hall, filename, slug, content: sent, type, domain, source_type, frontmatter, ...rest },
    caller,
    watch,
  ) {
    const { text: content, warnings } = withLineBreaks(sent, caller);
    checkContent(content);
    if (filename !== undefined && slug !== undefined && filename !== slug) {
      throw new BrainError('invalid_field', '"filename" and "slug" mean the same; give one of them.', {
        field: 'slug',
      });
    }
    const name = filename ?? slug;
    const { half_life, applies, claim_provenance, overwrite, dry_run: dryRun } = rest;
    return placeNote(
      brain,
      {
        content,
        wing,
        hall,
        stem: name === undefined ? undefined : fileStem(name, 'invalid_filename'),
        options: { type, domain, source_type, half_life, applies, claim_provenance },
        frontmatter,
        overwrite,
        warnings,
        dryRun,
        signal: watch?.signal,
      },
      caller,
    );
  },
});
