import type { HybridRetrieval } from '../../src/core/vectors/hybrid-retrieval';
import type { Settings } from '../../src/core/config';
import { type FakeEmbedder, fakeEmbedder } from './fake-embedder';
import { type MemoryVectors, memoryVectors } from './memory-vectors';
import { type ManualSleep, manualSleep } from './manual-sleep';
import { NOW, openTestBrain, type TestBrain } from './test-brain';

export interface HybridBrain extends TestBrain {
  readonly embedder: FakeEmbedder;
  readonly vectors: MemoryVectors;
  readonly time: ManualSleep;
  readonly hybrid: HybridRetrieval;
}

/** A brain with hybrid retrieval in memory, whose first sync has ended. Time passes only when told. */
export async function openHybridBrain(
  files: Readonly<Record<string, string>> = {},
  {
    embedder = fakeEmbedder(),
    vectors = memoryVectors(),
    ...settings
  }: Settings & { embedder?: FakeEmbedder; vectors?: MemoryVectors } = {},
): Promise<HybridBrain> {
  // The sleepers go by the brain's own clock, which is made when it is opened.
  let time: ManualSleep | null = null;
  const early: (() => void)[] = [];
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
      hybridPorts: { embedder, vectors },
      sleep: (ms) => time?.sleep(ms) ?? new Promise((resolve) => early.push(resolve)),
    },
  );
  time = manualSleep(opened.clock);
  const { hybrid } = opened.brain;
  if (hybrid === null) throw new Error('Hybrid retrieval is configured.');
  while (hybrid.sync.state.lastSync === null && hybrid.sync.state.lastError === null) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const wake of early.splice(0)) wake();
  return { ...opened, embedder, vectors, time, hybrid };
}
