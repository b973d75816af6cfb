import { claimMaker } from '../../../src/adapters/postgres/vector-store';
import { MakerChanged } from '../../../src/core/embeddings/store';

const table = {
  name: 'brain_embeddings',
  index: 'brain_embeddings_hnsw',
  vector: 'vector',
  distance: '<=>',
  iterates: true,
  half: null,
  hasIndex: true,
  isPlain: true,
};
const commentOf = (model: string) => `vault 0123abcd; 768 dimensions; ${model}`;

it('is refused when another model of the same vault is noted between two looks at an empty table', async () => {
  const comments = [null, commentOf('theirs'), commentOf('theirs')];
  const said: string[] = [];
  const query = async (sql: string) => {
    said.push(sql);
    return sql.startsWith('SELECT') ? [{ maker: comments.shift(), filled: false }] : [];
  };
  const claimed = claimMaker(query, table, { model: 'ours', vault: '0123abcd' }, 'here');
  await expect(claimed).rejects.toBeInstanceOf(MakerChanged);
  expect(said.some((sql) => sql.startsWith('COMMENT'))).toBe(false);
});
