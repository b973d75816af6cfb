import type { Brain } from '../brain';
import { asText, ESCAPED } from '../rules/frontmatter/open-content';
import { type Gated, type GateInput, gateSteps } from '../rules/gate';
import type { LinkTargets } from '../rules/links';
import { inSlices } from '../steps';
import { linkTargets } from './link-targets';

/**
 * The gate as every door uses it: against the links that this vault has, as strict as its owner wants it. `beside` adds
 * targets that are not there yet. A long body is gated in slices. With `blind` no heading of another note is looked up: whether
 * it was there would tell the caller, who may not read that note. What passes it is text: no front matter begins in it.
 */
export async function gateBody(
  brain: Pick<Brain, 'catalog' | 'vault' | 'config' | 'pace'>,
  {
    blind = false,
    current,
    ...input
  }: Omit<GateInput, 'targets' | 'activeContent'> & { readonly blind?: boolean },
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
