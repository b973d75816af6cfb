import { BrainError } from '../base/errors';
import { type Sha, utf8Length } from '../base/hash';
import { inSlices, type Steps } from '../base/steps';
import { isBlank } from '../base/text';
import { isCatalogued } from '../catalog/catalog';
import { contentKeySteps } from '../catalog/record';
import { asText, ESCAPED } from '../frontmatter/compose';
import { type Gated, type GateInput, gateSteps } from '../gate/gate';
import { type LinkSource, type LinkTargets, resolveLink } from '../links/resolve';
import type { LinkUse } from '../markdown/address';
import { factSteps, type MarkdownFacts } from '../markdown/facts';
import { internalLinkSteps, markdownSteps, within } from '../markdown/parse';
import type { Brain } from '../operation/context';
import { MAX_CONTENT } from '../operation/fields';
import { linkPath, type VaultPath, vaultPath, zoneOf } from '../vocabulary/paths';

/**
 * Refuses content of which nothing can be seen, or that is larger than `limit` bytes.
 * @throws BrainError `empty_content` or `too_large`.
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
 * Refuses a body of which nothing can be seen in the place of one that stands: who sends front matter alone means to change
 * that, and would lose the text.
 * @throws BrainError `empty_content`.
 */
export function checkBody(body: string): void {
  if (!isBlank(body)) return;
  throw new BrainError(
    'empty_content',
    '"content" has front matter and no text, which would empty the note. Send the whole text of the note with it.',
    { field: 'content' },
  );
}

/** So many files are asked for on the disk for one body; a note with more attachments than this is hostile. */
const MAX_ASKED = 200;

/**
 * Most notes name no file but notes, and need not be read for it. What a link ends in follows the extension: in a table its bar
 * has a backslash before it, and a definition ends with its line. Where an escape could spell a dot or a letter, it may be one.
 */
const MAY_NAME_FILE = /\.\w{1,10}(?:[#|\])>"\\%&\s]|$)|%2e|&(?:#|period;)/i;

/**
 * What the links of a body may lead to: the notes of the catalog, and attachments anywhere in the vault that the body names by
 * their exact path, or the links `beside` it. Those are asked for on the disk, because the catalog knows only the service's own folders.
 */
export async function linkTargets(
  brain: Pick<Brain, 'catalog' | 'vault' | 'pace'>,
  body: string,
  from: LinkSource,
  beside: readonly Pick<LinkUse, 'target' | 'kind'>[] = [],
): Promise<LinkTargets> {
  const { catalog } = brain;
  const others = beside.filter(({ target }) => NAMES_FILE.test(target));
  if (others.length === 0 && !MAY_NAME_FILE.test(body)) return catalog;
  const asked = new Set<string>();
  const listening: LinkTargets = {
    has(path) {
      const known = catalog.has(path);
      if (known === null && isAttachment(path) && asked.size < MAX_ASKED) asked.add(path);
      return known;
    },
    candidates: (tier, key) => catalog.candidates(tier, key),
    fragments: (path) => catalog.fragments(path),
    title: (path) => catalog.title(path),
  };
  await inSlices(askedSteps(body, from, listening), brain.pace);
  for (const link of others) askFor(link, from, listening);
  const found = new Map<string, VaultPath>();
  for (const path of asked) if (await stands(brain, path)) found.set(path, vaultPath(path));
  return found.size === 0
    ? catalog
    : { ...listening, has: (path) => catalog.has(path) ?? found.get(path) ?? null };
}

/** Asks for all that the links of a body may mean that end like the name of a file. */
function* askedSteps(body: string, from: LinkSource, targets: LinkTargets): Steps<void> {
  const markdown = yield* markdownSteps(body);
  yield* internalLinkSteps(markdown, within(markdown.quiet), (link) => {
    if (NAMES_FILE.test(link.target)) askFor(link, from, targets);
  });
}

const NAMES_FILE = /\.\w+$/;

function askFor(
  { target, kind }: Pick<LinkUse, 'target' | 'kind'>,
  from: LinkSource,
  targets: LinkTargets,
): void {
  resolveLink(target, from, targets, kind === 'mdlink' || kind === 'image');
}

function isAttachment(path: string): boolean {
  return /\.\w{1,10}$/.test(path) && !/\.md$/i.test(path) && zoneOf(path) === 'other';
}

async function stands({ vault }: Pick<Brain, 'vault'>, path: string): Promise<boolean> {
  try {
    return (await vault.stat(vaultPath(path))) !== null;
  } catch (error) {
    if (error instanceof BrainError) return false; // No path of this vault, so nothing to link to.
    throw error;
  }
}

/** A body that is to pass the gate, and for a note that stands the body it has now. `blind`: the caller may not read. */
type BodyToGate = Omit<GateInput, 'targets' | 'activeContent'> & { readonly blind?: boolean };

/**
 * The gate as every door uses it: against the links that this vault has, as strict as its owner wants it. `beside` adds
 * targets that are not there yet. A long body is gated in slices. With `blind` no heading of another note is looked up: whether
 * it was there would tell the caller, who may not read that note. What passes it is text: no front matter begins in it.
 */
export async function gateBody(
  brain: Pick<Brain, 'catalog' | 'vault' | 'config' | 'pace'>,
  { blind = false, current, ...input }: BodyToGate,
  beside: (targets: LinkTargets) => LinkTargets = (targets) => targets,
): Promise<Gated> {
  const known = beside(await linkTargets(brain, input.body, input.from));
  const targets = blind ? withoutFragments(known) : known;
  // What stands would tell a caller who may not read it which of its guesses stand there.
  const standing = blind || current === undefined ? {} : { current };
  const steps = gateSteps({ ...input, ...standing, targets, activeContent: brain.config.gateActiveContent });
  const gated = await inSlices(steps, brain.pace);
  const body = asText(gated.body);
  return body === gated.body ? gated : { ...gated, body, warnings: [...gated.warnings, ESCAPED] };
}

function withoutFragments(targets: LinkTargets): LinkTargets {
  return {
    has: (path) => targets.has(path),
    candidates: (tier, key) => targets.candidates(tier, key),
    admits: (path) => targets.admits?.(path) ?? null,
    fragments: () => null,
    title: (path) => targets.title(path),
  };
}

/** The same targets; what they answer with is noted in `seen`, and notes that wait for review and are asked for by their path. */
export function noting(
  catalog: Pick<Brain['catalog'], 'record'>,
  targets: LinkTargets,
  seen: Set<VaultPath>,
): LinkTargets {
  const noted = (path: VaultPath | null): VaultPath | null => {
    if (path !== null) seen.add(path);
    return path;
  };
  return {
    has: (path) => noted(targets.has(path)),
    admits(path) {
      const queued = vaultPath(`${linkPath(path)}.md`);
      if (catalog.record(queued) !== undefined) seen.add(queued);
      return noted(targets.admits?.(path) ?? null);
    },
    candidates(tier, key) {
      const found = targets.candidates(tier, key);
      for (const path of found) seen.add(path);
      return found;
    },
    fragments: (path) => targets.fragments(path),
    title: (path) => targets.title(path),
  };
}

/**
 * The long work that one call does on a body: its way through the gate, its facts, and its content key. All of it is
 * remembered, so that a change that was planned before the writer was taken is planned again in a moment with the writer held.
 */
export class BodyWork {
  readonly #gated = new Map<string, { request: BodyToGate; gated: Gated; seen: ReadonlySet<VaultPath> }>();
  readonly #facts = new Map<string, MarkdownFacts>();
  readonly #keys = new Map<string, Sha>();

  constructor(private readonly brain: Pick<Brain, 'catalog' | 'vault' | 'config' | 'pace'>) {}

  /**
   * As `gateBody`. What the gate gave for the same request still counts as long as the files stand that the links may lead
   * to; it is then as if the call had come a moment earlier.
   */
  async gate(
    request: BodyToGate,
    beside: (targets: LinkTargets) => LinkTargets = (targets) => targets,
  ): Promise<Gated> {
    const { catalog } = this.brain;
    const place = request.from.path ?? '';
    const known = this.#gated.get(place);
    const stands = (path: VaultPath): boolean => !isCatalogued(path) || catalog.taken(path) === path;
    if (known !== undefined && isSame(known.request, request) && [...known.seen].every(stands))
      return known.gated;
    const seen = new Set<VaultPath>();
    const gated = await gateBody(this.brain, request, (targets) => noting(catalog, beside(targets), seen));
    this.#gated.set(place, { request, gated, seen });
    return gated;
  }

  async facts(body: string): Promise<MarkdownFacts> {
    const facts = this.#facts.get(body) ?? (await inSlices(factSteps(body), this.brain.pace));
    this.#facts.set(body, facts);
    return facts;
  }

  /** What notes with the same text share; see `contentKey`. */
  async key(body: string): Promise<Sha> {
    const { links } = await this.facts(body);
    const key = this.#keys.get(body) ?? (await inSlices(contentKeySteps(body, links), this.brain.pace));
    this.#keys.set(body, key);
    return key;
  }
}

function isSame(one: BodyToGate, other: BodyToGate): boolean {
  const rest = ({ from, mode, blind, choices }: BodyToGate): string =>
    JSON.stringify([from, mode, blind, ...(choices ?? [])]);
  return one.body === other.body && one.current === other.current && rest(one) === rest(other);
}
