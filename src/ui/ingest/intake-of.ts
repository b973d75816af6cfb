import type { BrainClient } from '../client';
import { courierOf } from './courier';
import { Intake } from './intake';

export { wantedPath, wantedText } from './read-files';

const intakes = new WeakMap<BrainClient, Intake>();

/** The one intake of a way to the vault, for all screens and commands that use it. */
export function intakeOf(client: BrainClient): Intake {
  const known = intakes.get(client);
  if (known !== undefined) return known;
  const made = new Intake(courierOf(client), sleep);
  intakes.set(client, made);
  return made;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void window.setTimeout(resolve, ms));
}
