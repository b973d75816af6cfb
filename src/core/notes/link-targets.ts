import type { Brain } from '../brain';
import { BrainError } from '../errors';
import { type LinkSource, type LinkTargets, resolveLink } from '../rules/links';
import { type LinkUse } from '../rules/links-address';
import { internalLinkSteps } from '../rules/markdown-links';
import { markdownSteps, within } from '../rules/markdown-parse';
import { vaultPath, type VaultPath, zoneOf } from '../rules/paths';
import { inSlices, type Steps } from '../steps';

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
