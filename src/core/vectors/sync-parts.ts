import type { Brain } from '../brain';
import type { Embedder } from '../ports';
import type { VectorStore } from '../vector-store';
import type { Coverage } from './coverage';

/** What a sync works with. */
export interface SyncParts {
  readonly brain: Pick<Brain, 'vault' | 'catalog' | 'state' | 'clock' | 'pace' | 'device' | 'log'>;
  readonly embedder: Embedder;
  readonly vectors: VectorStore;
  /** Told how many notes have a vector. */
  readonly coverage: Coverage;
}
