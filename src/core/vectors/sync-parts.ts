import type { Knowledge } from '../catalog/knowledge';
import type { Pacing } from '../pace';
import type { Embedder, Store } from '../ports';
import type { Maker, VectorStore } from '../vector-store';
import type { Coverage } from './coverage';

/** What a sync works with. */
export interface SyncParts {
  readonly brain: Store & Pick<Knowledge & Pacing, 'catalog' | 'pace'>;
  readonly embedder: Embedder;
  readonly vectors: VectorStore;
  /** The id of the vault. */
  readonly vaultId: string;
  /** Told how many notes have a vector. */
  readonly coverage: Coverage;
}

/** Whose the vectors are that this service makes. */
export function makerOf({
  embedder,
  vaultId,
}: {
  embedder: Pick<Embedder, 'maker'>;
  vaultId: string;
}): Maker {
  return { model: embedder.maker, vault: vaultId };
}
