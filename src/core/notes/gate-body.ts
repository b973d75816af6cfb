import type { Brain } from '../brain';
import { gate, type Gated, type GateInput } from '../rules/gate';
import type { LinkTargets } from '../rules/links';
import { linkTargets } from './link-targets';

/**
 * The gate as every door uses it: against the links that this vault has, as strict as its owner wants it. `beside` adds
 * targets that are not there yet.
 */
export async function gateBody(
  brain: Pick<Brain, 'catalog' | 'vault' | 'config'>,
  input: Omit<GateInput, 'targets' | 'activeContent'>,
  beside: (targets: LinkTargets) => LinkTargets = (targets) => targets,
): Promise<Gated> {
  const targets = beside(await linkTargets(brain, input.body, input.from));
  return gate({ ...input, targets, activeContent: brain.config.gateActiveContent });
}
