import type { HybridRetrieval } from '../../src/core/embeddings/retrieval';
import type { Settings } from '../../src/core/config/config';
import { type FakeEmbedder, fakeEmbedder } from './fake-embedder';
import { type MemoryVectors, memoryVectors } from './memory-vectors';
import { type ManualSleep, manualSleep } from './manual-sleep';
import { type More, NOW, openTestBrain, type TestBrain } from './test-brain';

export interface HybridBrain extends TestBrain {
  readonly embedder: FakeEmbedder;
  readonly vectors: MemoryVectors;
  readonly time: ManualSleep;
  readonly hybrid: HybridRetrieval;
}

type Options = Settings &
  Pick<More, 'app'> & { readonly embedder?: FakeEmbedder; readonly vectors?: MemoryVectors };

/** A brain with hybrid retrieval in memory, whose first sync has ended. Time passes only when told. */
export async function openHybridBrain(
  files: Readonly<Record<string, string>> = {},
  options: Options = {},
): Promise<HybridBrain> {
  const { wakeAll, begin, ...opened } = await open(files, options);
  // The clock stands still all the while, so that the notes are as old as their rows.
  while (opened.hybrid.sync.state.ended === 0) {
    wakeAll();
    await new Promise((resolve) => setImmediate(resolve));
  }
  begin();
  return opened;
}

/** The same as it is right after the start, when no sync has begun. */
export async function startHybridBrain(
  files: Readonly<Record<string, string>> = {},
  options: Options = {},
): Promise<HybridBrain> {
  const { wakeAll: _, begin, ...opened } = await open(files, options);
  begin();
  return opened;
}

async function open(
  files: Readonly<Record<string, string>>,
  { embedder = fakeEmbedder(), vectors = memoryVectors(), app, ...settings }: Options,
) {
  // The sleepers go by the brain's own clock, which is made when it is opened.
  let going: ManualSleep | null = null;
  const early: { readonly ms: number; readonly wake: () => void }[] = [];
  const opened = await openTestBrain(
    files,
    {
      pgDsn: 'postgres://me:secret@db/brain',
      embedUrl: 'http://ai',
      embedModel: embedder.maker,
      ...settings,
    },
    NOW,
    {
      hybridPorts: { embedder, vectors: () => vectors },
      ...(app && { app }),
      sleep: (ms) => going?.sleep(ms) ?? new Promise((wake) => early.push({ ms, wake })),
    },
  );
  const time = manualSleep(opened.clock);
  const { hybrid } = opened.brain;
  if (hybrid === null) throw new Error('Hybrid retrieval is configured.');
  return {
    ...opened,
    embedder,
    vectors,
    time,
    hybrid,
    /** Wakes whoever sleeps. */
    wakeAll: () => early.splice(0).forEach(({ wake }) => wake()),
    /** From now on sleepers wake when their time has passed. */
    begin: () => {
      going = time;
      for (const { ms, wake } of early.splice(0)) void time.sleep(ms).then(wake);
    },
  };
}
