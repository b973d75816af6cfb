import type { CommitPorts } from '../../src/core/storage/commit';
import { Pace } from '../../src/core/base/steps';
import type { StateStore, VaultStore } from '../../src/core/ports/ports';
import { SentTexts } from '../../src/core/operation/sent';
import { ChangeLog } from '../../src/core/storage/change-log';
import { Journal } from '../../src/core/storage/journal';
import { WriterLock } from '../../src/core/storage/writer';
import { fixedClock, type FixedClock } from './fixed-clock';
import { createMemoryState, type MemoryState } from './memory-state';
import { createMemoryVault, type MemoryVault } from './memory-vault';
import { type LogLine, silentLog } from './silent-log';

/** What `commit` is given in tests: a catalog that only notes what it is told, `put a.md (3)`. */
export interface TestPorts<V extends VaultStore, S extends StateStore> extends CommitPorts {
  readonly whole: TestPorts<V, S>;
  readonly limits: null;
  readonly catalog: CommitPorts['catalog'] & { taken(): null };
  readonly vault: V;
  readonly state: S;
  readonly clock: FixedClock;
  readonly log: ReturnType<typeof silentLog>;
  readonly writer: WriterLock;
  readonly pace: Pace;
  readonly sent: SentTexts;
  /** Everything the catalog was told, in order. */
  readonly told: string[];
}

/** The ports of `commit` around a vault and a state. */
export function commitPorts<V extends VaultStore, S extends StateStore>(vault: V, state: S): TestPorts<V, S> {
  const told: string[] = [];
  const own = { state, clock: fixedClock(), device: 'test' };
  const ports: TestPorts<V, S> = {
    get whole(): TestPorts<V, S> {
      return ports;
    },
    limits: null,
    acting: {},
    vault,
    ...own,
    journal: new Journal(own),
    changeLog: new ChangeLog(own),
    log: silentLog(),
    writer: new WriterLock(),
    pace: new Pace(() => new Promise((resolve) => setImmediate(resolve)), fixedClock()),
    sent: new SentTexts(own, 'local.test/door'),
    told,
    catalog: {
      prepare: () => [],
      taken: () => null,
      put: (path, _text, { size }) => {
        told.push(`put ${path} (${size})`);
      },
      drop: (path) => {
        told.push(`drop ${path}`);
      },
      markDirty: ({ kind, path }) => {
        told.push(`dirty ${kind} ${path}`);
      },
    },
  };
  return ports;
}

/** The same around a vault in memory. */
export function memoryPorts(
  files: Readonly<Record<string, string>> = {},
): TestPorts<MemoryVault, MemoryState> {
  return commitPorts(createMemoryVault(files), createMemoryState());
}

/** Events that were logged, with the level. */
export function eventsOf(log: { readonly lines: readonly LogLine[] }): string[] {
  return log.lines.map(({ level, event }) => `${level} ${event}`);
}
