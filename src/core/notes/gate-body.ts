import type { Brain } from '../brain';
import { type Gated, type GateInput, gateSteps } from '../rules/gate';
import type { LinkTargets } from '../rules/links';
import { inSlices } from '../steps';
import { linkTargets } from './link-targets';

/**
 * The gate as every door uses it: against the links that this vault has, as strict as its owner wants it. `beside` adds
 * targets that are not there yet. A long body is gated in slices.
 */
export async function gateBody(
  brain: Pick<Brain, 'catalog' | 'vault' | 'config' | 'pace'>,
  input: Omit<GateInput, 'targets' | 'activeContent'>,
  beside: (targets: LinkTargets) => LinkTargets = (targets) => targets,
): Promise<Gated> {
  const targets = beside(await linkTargets(brain, input.body, input.from));
  const steps = gateSteps({ ...input, targets, activeContent: brain.config.gateActiveContent });
  return inSlices(steps, brain.pace);
}
