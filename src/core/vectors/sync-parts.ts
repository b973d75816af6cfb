import type { Brain } from '../brain';
import type { Embedder, VectorStore } from '../ports';

/** What a sync works with. */
export interface SyncParts {
  readonly brain: Pick<Brain, 'vault' | 'catalog' | 'state' | 'clock' | 'pace' | 'device' | 'log'>;
  readonly embedder: Embedder;
  readonly vectors: VectorStore;
}
