import type { Brain } from '../brain';
import { asText, ESCAPED } from '../rules/frontmatter/open-content';
import { type Gated, type GateInput, gateSteps } from '../rules/gate';
import type { LinkTargets } from '../rules/links';
import { linkPath, type VaultPath, vaultPath } from '../rules/paths';
import { inSlices } from '../steps';
import { linkTargets } from './link-targets';

/** A body that is to pass the gate, and for a note that stands the body it has now. `blind`: the caller may not read. */
export type BodyToGate = Omit<GateInput, 'targets' | 'activeContent'> & { readonly blind?: boolean };

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
