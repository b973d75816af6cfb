import { BrainError } from '../base/errors';
import { type Sha, utf8Length } from '../base/hash';
import { apart, inSlices, ITEMS_PER_STEP, type Steps, Tally } from '../base/steps';
import { isBlank } from '../base/text';
import { CONTENT_KEY } from '../catalog/content-key';
import { escapeFrontMatter, ESCAPED } from '../frontmatter/compose';
import { gateApart } from '../gate/apart';
import type { Gated, GateInput } from '../gate/gate';
import { type LinkSource, type LinkTargets, resolveLink, withLookups } from '../links/resolve';
import { isRelative, type LinkUse } from '../markdown/address';
import { FACTS, type MarkdownFacts } from '../markdown/facts';
import { FILE_LINKS, namesFile } from '../markdown/file-links';
import type { Brain } from '../operation/context';
import { MAX_CONTENT } from '../operation/fields';
import { linkPath, type VaultPath, vaultPath, zoneOf } from '../vocabulary/paths';
import { lossSteps } from './losses';
import { type NearNote, similarNotes } from './similar';

/**
 * Refuses content without visible characters, or larger than `limit` bytes.
 * @throws BrainError `empty_content` or `too_large`
 */
export function checkContent(content: string, field = 'content', limit = MAX_CONTENT): void {
  if (isBlank(content)) {
    throw new BrainError('empty_content', `"${field}" is empty. Send the text of the note.`, { field });
  }
  const bytes = content.length > limit ? content.length : utf8Length(content);
  if (bytes > limit) {
    throw new BrainError(
      'too_large',
      `"${field}" is larger than ${limit / 1024} KiB. Split it into several notes.`,
      { field, bytes, limit },
    );
  }
}

/**
 * Refuses a body without visible characters for an existing note: a caller that sends only front matter means to change that,
 * and would lose the text.
 * @throws BrainError `empty_content`
 */
export function checkBody(body: string): void {
  if (!isBlank(body)) return;
  throw new BrainError(
    'empty_content',
    '"content" has front matter and no text, which would empty the note. Send the whole text of the note with it.',
    { field: 'content' },
  );
}

/** The number of files that are looked up on the disk for one body. More attachments in one note are hostile. */
const MAX_ATTACHMENTS = 200;

/**
 * Matches a body that may name a file other than a note; most bodies do not and need no parse. The character class after the
 * extension includes the backslash before a bar in a table and the line end of a definition. The last alternatives match
 * escapes that may stand for a dot or a letter.
 */
const MAY_NAME_FILE = /\.\w{1,10}(?:[#|\])>"\\%&\s]|$)|%2e|&(?:#|period;)/i;

/**
 * Returns the link targets of a body: what the catalog knows, and attachments anywhere in the vault that the body or
 * `extraLinks` name by their exact path, unless the owner leaves them out. These are looked up on the disk, because the catalog
 * may know only the folders of the service, and hear of a new file later.
 */
export async function linkTargets(
  brain: Pick<Brain, 'catalog' | 'vault' | 'pace'>,
  body: string,
  from: LinkSource,
  extraLinks: readonly Pick<LinkUse, 'target' | 'kind'>[] = [],
): Promise<LinkTargets> {
  const { catalog } = brain;
  const others = extraLinks.filter(namesFile);
  if (others.length === 0 && !MAY_NAME_FILE.test(body)) return catalog;
  const wanted = new Set<string>();
  const recording = withLookups(catalog, {
    has(path) {
      const known = catalog.has(path);
      const isOpen = known === null && isAttachment(path) && !catalog.scope.excludes(path);
      if (isOpen && wanted.size < MAX_ATTACHMENTS) wanted.add(path);
      return known;
    },
  });
  await inSlices(attachmentSteps(body, from, recording), brain.pace);
  for (const link of others) resolveAttachment(link, from, recording);
  const found = new Map<string, VaultPath>();
  for (const path of wanted) if (await exists(brain, path)) found.set(path, vaultPath(path));
  return found.size === 0
    ? catalog
    : { ...recording, has: (path) => catalog.has(path) ?? found.get(path) ?? null };
}

/** Resolves the links of a body that end like a file name, so that `targets` records the attachments. */
function* attachmentSteps(body: string, from: LinkSource, targets: LinkTargets): Steps<void> {
  const tally = new Tally(ITEMS_PER_STEP);
  for (const link of yield* apart(FILE_LINKS, body)) {
    resolveAttachment(link, from, targets);
    if (tally.isFull(32)) yield;
  }
}

function resolveAttachment(
  { target, kind }: Pick<LinkUse, 'target' | 'kind'>,
  from: LinkSource,
  targets: LinkTargets,
): void {
  resolveLink(target, from, targets, isRelative({ kind }));
}

function isAttachment(path: string): boolean {
  return /\.\w{1,10}$/.test(path) && !/\.md$/i.test(path) && zoneOf(path) === 'other';
}

async function exists({ vault }: Pick<Brain, 'vault'>, path: string): Promise<boolean> {
  try {
    return (await vault.stat(vaultPath(path))) !== null;
  } catch (error) {
    if (error instanceof BrainError) return false; // The path is not one of this vault.
    throw error;
  }
}

/** A body for the gate; `current` is the body of the existing note. `blind` means that the caller may not read. */
type BodyToGate = Omit<GateInput, 'targets' | 'activeContent'> & { readonly blind?: boolean };

/**
 * Gates a body, as every write does: against the link targets of this vault, with the strictness of its settings. `addTargets`
 * adds targets that do not exist yet. A long body is gated in slices. With `blind`, headings of other notes are not looked up,
 * because the result would reveal them. The result never begins with front matter.
 */
export async function gateBody(
  brain: Pick<Brain, 'catalog' | 'vault' | 'config' | 'pace'>,
  { blind = false, current, ...input }: BodyToGate,
  addTargets: (targets: LinkTargets) => LinkTargets = (targets) => targets,
): Promise<Gated> {
  const known = addTargets(await linkTargets(brain, input.body, input.from));
  const targets = blind ? withLookups(known, { holds: () => true }) : known;
  // The existing body would reveal to a caller without read access which of its guesses are right.
  const currentBody = blind || current === undefined ? {} : { current };
  const steps = gateApart({
    ...input,
    ...currentBody,
    targets,
    activeContent: brain.config.gateActiveContent,
  });
  const gated = await inSlices(steps, brain.pace);
  const body = escapeFrontMatter(gated.body);
  return body === gated.body ? gated : { ...gated, body, warnings: [...gated.warnings, ESCAPED] };
}

/** Returns targets that record in `seen` every path that they return, and queued notes that are named by their path. */
export function recordingTargets(
  catalog: Pick<Brain['catalog'], 'record'>,
  targets: LinkTargets,
  seen: Set<VaultPath>,
): LinkTargets {
  const noted = (path: VaultPath | null): VaultPath | null => {
    if (path !== null) seen.add(path);
    return path;
  };
  return withLookups(targets, {
    has: (path) => noted(targets.has(path)),
    admits(path) {
      const queued = vaultPath(`${linkPath(path)}.md`);
      if (catalog.record(queued) !== undefined) seen.add(queued);
      return noted(targets.admits?.(path) ?? null);
    },
    within(target, relative, path) {
      const found = targets.within?.(target, relative, path) ?? null;
      if (found !== null && 'path' in found && found.path !== undefined) seen.add(found.path);
      return found;
    },
    candidates(tier, key) {
      const found = targets.candidates(tier, key);
      for (const path of found) seen.add(path);
      return found;
    },
  });
}

/**
 * The slow work of one call on a body: gate, facts and content key. It caches all results, so that planning again with the
 * writer lock held is fast.
 */
export class BodyWork {
  readonly #gated = new Map<string, { request: BodyToGate; gated: Gated; seen: ReadonlySet<VaultPath> }>();
  readonly #facts = new Map<string, MarkdownFacts>();
  readonly #keys = new Map<string, Sha>();
  readonly #times = new Map<string, Date>();
  readonly #similar = new Map<string, NearNote[]>();
  readonly #losses = new Map<Sha, readonly string[]>();

  constructor(private readonly brain: Pick<Brain, 'catalog' | 'vault' | 'config' | 'pace' | 'clock'>) {}

  /**
   * Returns the time at which the call first read these texts, by their hashes. A plan that is made of them again is the same,
   * and a text that others have changed since gets a later time than their change.
   */
  timeOf(...versions: readonly Sha[]): Date {
    const key = versions.join();
    const time = this.#times.get(key) ?? this.brain.clock.now();
    this.#times.set(key, time);
    return time;
  }

  /**
   * Gates like `gateBody`. A cached result is valid while the files that the links lead to exist: the call counts as having
   * come a little earlier.
   */
  async gate(
    request: BodyToGate,
    addTargets: (targets: LinkTargets) => LinkTargets = (targets) => targets,
  ): Promise<Gated> {
    const { catalog } = this.brain;
    const place = `${request.from.path ?? ''}\n${request.keep === undefined ? '' : 'kept'}`;
    const known = this.#gated.get(place);
    const isThere = (path: VaultPath): boolean => !catalog.covers(path) || catalog.taken(path) === path;
    if (known !== undefined && isSame(known.request, request) && [...known.seen].every(isThere))
      return known.gated;
    const seen = new Set<VaultPath>();
    const gated = await gateBody(this.brain, request, (targets) =>
      recordingTargets(catalog, addTargets(targets), seen),
    );
    this.#gated.set(place, { request, gated, seen });
    return gated;
  }

  /** Returns the warnings of a text that a body replaces; see `lossSteps`. One call replaces each version by one body. */
  async losses(before: Sha, ...asked: Parameters<typeof lossSteps>): Promise<readonly string[]> {
    const losses = this.#losses.get(before) ?? (await inSlices(lossSteps(...asked), this.brain.pace));
    this.#losses.set(before, losses);
    return losses;
  }

  /** Returns `similarNotes` of the text that the call writes at a path, as they were when it was asked first. */
  async similar(brain: Brain, path: VaultPath, title: string, text: string): Promise<NearNote[]> {
    const key = `${path}\n${title}\n${text}`;
    const similar = this.#similar.get(key) ?? (await similarNotes(brain, { path, title }, text));
    this.#similar.set(key, similar);
    return similar;
  }

  async facts(body: string): Promise<MarkdownFacts> {
    const facts = this.#facts.get(body) ?? (await inSlices(apart(FACTS, body), this.brain.pace));
    this.#facts.set(body, facts);
    return facts;
  }

  /** Returns the key that notes with the same text share; see `contentKey`. */
  async key(body: string, title: unknown): Promise<Sha> {
    const said = `${String(title)}\n${body}`;
    const key =
      this.#keys.get(said) ?? (await inSlices(apart(CONTENT_KEY, { body, title }), this.brain.pace));
    this.#keys.set(said, key);
    return key;
  }
}

function isSame(one: BodyToGate, other: BodyToGate): boolean {
  const rest = ({ from, mode, blind, choices, keep }: BodyToGate): string =>
    JSON.stringify([from, mode, blind, keep, ...(choices ?? [])]);
  return one.body === other.body && one.current === other.current && rest(one) === rest(other);
}
