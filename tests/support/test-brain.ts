import type * as z from 'zod';
import type { Brain, BrainPorts } from '../../src/core/operation/context';
import type { Caller, Scope } from '../../src/core/access/tokens';
import { type Settings, settleConfig } from '../../src/core/config/config';
import { BrainError } from '../../src/core/base/errors';
import { readScopeOf } from '../../src/core/documents/paths';
import type { DocumentReader } from '../../src/core/documents/ports';
import { openBrain } from '../../src/core/vault/open';
import type { AppExclusions } from '../../src/core/vocabulary/read-scope';
import { type Operation, perform } from '../../src/core/operation/operation';
import { fakeDocuments } from './fake-documents';
import { fixedClock } from './fixed-clock';
import { createMemoryState } from './memory-state';
import { createMemoryVault } from './memory-vault';
import { VAULT_ID } from './memory-vectors';
import { silentLog } from './silent-log';
import { alone, type Servers } from '../../src/core/ports/ports';

export const NOW = '2026-11-20T10:32:00Z';

/** A caller at the HTTP door; all scopes unless told. */
export function callerWith(
  scopes: readonly Scope[] = ['read', 'write', 'review', 'admin'],
  name = 'laptop',
): Caller {
  return {
    origin: 'http',
    name,
    human: false,
    scopes: new Set(scopes),
    ...(name === 'owner' && { owner: true }),
  };
}

/** A caller that acts for the owner, so that the notes of a test need no stamps of the service. */
export const agent: Caller = { ...callerWith(), owner: true };
export const person: Caller = { origin: 'obsidian', name: 'me', human: true, scopes: agent.scopes };

export interface TestBrain {
  readonly brain: Brain;
  close(): Promise<void>;
  readonly files: Map<string, string>;
  readonly vault: ReturnType<typeof createMemoryVault>;
  readonly state: ReturnType<typeof createMemoryState>;
  readonly clock: ReturnType<typeof fixedClock>;
  /** Performs an operation and checks that its answer has the documented shape, no more and no less. */
  run<In extends z.ZodObject, Out extends z.ZodType>(
    op: Operation<In, Out>,
    raw?: unknown,
    caller?: Caller,
  ): Promise<z.output<Out>>;
  /** The code that an operation refuses with; fails when it does not refuse, or changes anything while refusing. */
  refusal(
    op: Operation,
    raw?: unknown,
    caller?: Caller,
  ): Promise<{ code: string; message: string; details?: unknown }>;
}

/** What most tests have no need of. */
export interface More extends Pick<BrainPorts, 'model' | 'sources' | 'hybridPorts' | 'textThreads'> {
  readonly servers?: Servers;
  /** Reads text as it is, unless told otherwise. */
  readonly documents?: DocumentReader;
  /** How time passes; it stands still unless told. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
  /** What the app's own settings leave out; nothing unless told. */
  readonly app?: AppExclusions;
  /** The device; the same for all brains unless told. */
  readonly device?: string;
  /** What another brain holds or has held; new and with the given files unless told. */
  readonly on?: Partial<Pick<TestBrain, 'vault' | 'state'>>;
}

/** Opens a brain over a vault in memory, at a clock that stands still at `time`. */
export async function openTestBrain(
  files: Readonly<Record<string, string>> = {},
  settings: Settings = {},
  time = NOW,
  { sleep = () => new Promise(() => undefined), app, on, device = 'testtest', ...more }: More = {},
): Promise<TestBrain> {
  const clock = fixedClock(time);
  const vault = on?.vault ?? createMemoryVault(files, clock);
  const state = on?.state ?? createMemoryState();
  if (more.hybridPorts) await state.create('vault-id', `${VAULT_ID}\n`);
  const ports = {
    vault,
    state,
    clock,
    log: silentLog(),
    documents: fakeDocuments(),
    servers: alone,
    ...more,
  };
  const config = settleConfig({}, settings);
  const opened = await openBrain(ports, config, {
    scope: readScopeOf(config, app),
    device,
    version: '0.0.0-test',
    sleep,
    breathe: async () => undefined,
  });
  await opened.loaded;
  const { brain } = opened;
  return {
    brain,
    close: () => opened.close(),
    files: vault.files,
    vault,
    state,
    clock,
    async run(op, raw, caller = agent) {
      const answer = await perform(brain, op, raw, caller);
      const sent: unknown = JSON.parse(JSON.stringify(answer));
      const parsed = op.output.parse(sent);
      expect(sent).toEqual(parsed);
      return parsed;
    },
    async refusal(op, raw, caller = agent) {
      const before = snapshot(vault);
      try {
        await perform(brain, op, raw, caller);
      } catch (error) {
        if (!(error instanceof BrainError)) throw error;
        expect(snapshot(vault)).toEqual(before);
        return { code: error.code, message: error.message, details: error.details };
      }
      throw new Error(`${op.name} was not refused`);
    },
  };
}

function snapshot(vault: ReturnType<typeof createMemoryVault>) {
  return { files: [...vault.files].sort(), folders: [...vault.folders].sort() };
}
