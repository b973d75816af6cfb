import type { Brain } from '../brain';
import { givenNotePath } from '../notes/given-path';
import { linkTargets } from '../notes/link-targets';
import { BrainError } from '../errors';
import { isOpen } from '../rules/gate-internal';
import { UNLINKABLE } from '../rules/link-words';
import { type LinkSource, resolveLink } from '../rules/links';
import { factSteps } from '../rules/markdown';
import type { VaultPath } from '../rules/paths';
import { inSlices } from '../steps';

/**
 * Where a caller wants the links of a body to lead that lead nowhere or to several notes, by target as the body has it.
 * @throws BrainError `invalid_field` for a target that no link of the body has or that is settled by itself, and for a path
 * at which no reviewed note stands; `path_not_allowed` for one outside the vault.
 */
export async function linkChoices(
  brain: Pick<Brain, 'catalog' | 'vault' | 'pace'>,
  body: string,
  from: LinkSource,
  given: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, VaultPath>> {
  const choices = new Map<string, VaultPath>();
  if (Object.keys(given).length === 0) return choices;
  const targets = await linkTargets(brain, body, from);
  const { links } = await inSlices(factSteps(body), brain.pace);
  for (const [target, path] of Object.entries(given)) {
    const meant = links
      .filter((link) => link.target === target)
      .map(({ kind }) => resolveLink(target, from, targets, kind === 'mdlink' || kind === 'image'));
    if (meant.length === 0) throw refused(target, `the note has no link to "${target}"; read it again`);
    if (!meant.some(isOpen)) throw refused(target, `"${target}" is neither missing nor ambiguous`);
    choices.set(target, reviewedNote(brain, target, path));
  }
  return choices;
}

function reviewedNote(brain: Pick<Brain, 'catalog'>, target: string, given: string): VaultPath {
  const path = givenNotePath(brain, given);
  const status = brain.catalog.record(path)?.status;
  if (status !== 'wiki' && status !== 'knowledge') {
    throw refused(target, `there is no note at ${path} in the wiki`);
  }
  if (UNLINKABLE.test(path)) throw refused(target, `${path} has a character that no link can hold`);
  return path;
}

function refused(target: string, problem: string): BrainError {
  return new BrainError('invalid_field', `"links" cannot be used: ${problem}.`, { field: 'links', target });
}
