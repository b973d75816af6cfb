import type { Brain, QuarantinedFile } from '../../src/core/operation/context';
import { type Settings, settleConfig } from '../../src/core/config/config';
import type { WatchChoice } from '../../src/core/documents/ports';
import { openBrain } from '../../src/core/vault/open';
import { alone, type LanguageModel, type TextThreads } from '../../src/core/ports/ports';
import { fakeDocuments, type FakeDocuments } from './fake-documents';
import { fixedClock, type FixedClock } from './fixed-clock';
import { manualSleep } from './manual-sleep';
import { createMemoryState, type MemoryState } from './memory-state';
import { createMemoryVault, type MemoryVault } from './memory-vault';
import { silentLog } from './silent-log';
import { NOW } from './test-brain';

/** A vault in memory whose service is started and stopped by a test, and whose time passes when a test says so. */
export interface InboxWorld {
  readonly vault: MemoryVault;
  readonly state: MemoryState;
  readonly clock: FixedClock;
  readonly documents: FakeDocuments;
  readonly log: ReturnType<typeof silentLog>;
  /** What the host was told of files put into quarantine. */
  readonly quarantined: QuarantinedFile[];
  /** The brain that runs. */
  readonly brain: Brain;
  start(watch: WatchChoice['watch'], settings?: Settings, more?: Partial<WatchChoice>): Promise<void>;
  stop(): Promise<void>;
  /** Puts a file into the vault, as a person does. */
  drop(path: string, text?: string): void;
  /** Lets the time pass, with time for what is woken by that. */
  pass(milliseconds: number): Promise<void>;
  /** Paths below a folder, sorted. */
  paths(folder: string): string[];
}

export function inboxWorld(
  files: Readonly<Record<string, string>> = {},
  model?: LanguageModel,
  textThreads?: TextThreads,
): InboxWorld {
  const clock = fixedClock(NOW);
  const vault = createMemoryVault(files, clock);
  const state = createMemoryState();
  const documents = fakeDocuments();
  const log = silentLog();
  const quarantined: QuarantinedFile[] = [];
  let opened: Awaited<ReturnType<typeof openBrain>> | null = null;
  let time = manualSleep(clock);
  return {
    vault,
    state,
    clock,
    documents,
    log,
    quarantined,
    get brain() {
      if (opened === null) throw new Error('The service does not run.');
      return opened.brain;
    },
    async start(watch, settings = {}, more = {}) {
      // What slept when the last one was stopped never wakes.
      time = manualSleep(clock);
      const told = (file: QuarantinedFile) => void quarantined.push(file);
      const ports = {
        ...{ vault, state, clock, log, documents, servers: alone, quarantined: told },
        ...(model && { model }),
        ...(textThreads && { textThreads }),
      };
      opened = await openBrain(ports, settleConfig({}, settings), {
        device: 'testtest',
        version: '0.0.0-test',
        sleep: time.sleep,
        breathe: async () => undefined,
        inbox: { watch, ...more },
      });
      await opened.loaded;
      await time.pass(1);
    },
    async stop() {
      await opened?.close();
      opened = null;
    },
    drop: (path, text = `Text of ${path}.\n`) => vault.outside(path, text),
    pass: (milliseconds) => time.pass(milliseconds),
    paths: (folder) => [...vault.files.keys()].filter((path) => path.startsWith(`${folder}/`)).sort(),
  };
}
