import type { Embedder, VectorStore } from '../ports';

/**
 * Whether the vectors that are kept were made by this embedder. Those of another one rank garbage without any sign of it,
 * and so would those of which nobody noted the maker. An empty table is taken over.
 */
export async function hasSameMaker(vectors: VectorStore, { maker }: Embedder): Promise<boolean> {
  const noted = await vectors.maker();
  if (noted === maker) return true;
  if ((await vectors.count()) > 0) return false;
  await vectors.mark(maker);
  return true;
}
