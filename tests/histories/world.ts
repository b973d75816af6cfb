import type { Caller } from '../../src/core/access/tokens';
import { settleConfig } from '../../src/core/config/config';
import type { OperationName } from '../../src/core/operation/descriptors';
import { type Operation, perform } from '../../src/core/operation/operation';
import type { Answer } from '../../src/core/registry/client';
import { OPERATIONS } from '../../src/core/registry/table';
import { openBrain, type OpenedBrain } from '../../src/core/vault/open';
import { fakeDocuments } from '../support/fake-documents';
import type { FixedClock } from '../support/fixed-clock';
import { createMemoryState, type MemoryState } from '../support/memory-state';
import type { MemoryVault } from '../support/memory-vault';
import { silentLog } from '../support/silent-log';
import { callerWith, person } from '../support/test-brain';
import { alone } from '../../src/core/ports/ports';

/** Those who act in a history. */
const CALLERS = {
  me: person,
  owner: callerWith(['read', 'write', 'review', 'admin'], 'owner'),
  /** It only proposes, so that rules promote what it sends. */
  bob: { ...callerWith(['read', 'propose'], 'bob'), origin: 'mcp', client: 'claude-code 2.1' },
  eve: { ...callerWith(['read', 'write', 'review', 'admin'], 'eve'), origin: 'mcp' },
  limited: {
    ...callerWith(['read', 'write', 'review'], 'limited'),
    limits: { read: ['wiki/net', 'raw'], writeWings: ['net'] },
  },
} as const satisfies Readonly<Record<string, Caller>>;
export type Who = keyof typeof CALLERS;

/** A vault and its `.brain/` with the brain that runs on them. */
export interface World {
  readonly vault: MemoryVault;
  readonly clock: FixedClock;
  readonly state: MemoryState;
  readonly opened: OpenedBrain;
}

/** Starts a brain as a new process of a device does: it knows only what is in the files, of which `kept` are those of `.brain/`. */
export async function start(
  { vault, clock }: Pick<World, 'vault' | 'clock'>,
  kept: Iterable<readonly [path: string, text: string]>,
  device: string,
): Promise<World> {
  const state = createMemoryState(Object.fromEntries(kept));
  const ports = { vault, clock, state, log: silentLog(), documents: fakeDocuments(), servers: alone };
  const opened = await openBrain(ports, settleConfig({}, { rateLimit: 0 }), {
    device,
    version: '0.0.0-test',
    sleep: () => new Promise(() => undefined),
    breathe: async () => undefined,
  });
  await opened.loaded;
  return { vault, clock, state, opened };
}

/** The input of a call, which the operation checks. */
export type Input = Readonly<Record<string, unknown>>;

/** Performs an operation. @throws BrainError when it is refused */
export async function ask<Name extends OperationName>(
  { opened }: Pick<World, 'opened'>,
  who: Who,
  name: Name,
  input: Input,
): Promise<Answer<Name>> {
  const operation: Operation = OPERATIONS[name];
  // The table has the operation of this name, whose answer has this type.
  return (await perform(opened.brain, operation, input, CALLERS[who])) as Answer<Name>;
}
