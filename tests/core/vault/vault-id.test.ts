import { vaultIdOf } from '../../../src/core/vault/open';
import { createMemoryState } from '../../support/memory-state';

it('is made once and kept', async () => {
  const state = createMemoryState();
  const ids = await Promise.all([vaultIdOf(state), vaultIdOf(state)]);
  expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set([...ids, await vaultIdOf(state)]).size).toBe(1);
  expect(await state.read('vault-id')).toBe(`${ids[0] ?? ''}\n`);
  expect(await vaultIdOf(createMemoryState())).not.toBe(ids[0]);
});

it.each(['', 'torn', 'G'.repeat(32)])('is made anew where %j stands in its file', async (text) => {
  const state = createMemoryState();
  await state.create('vault-id', text);
  const id = await vaultIdOf(state);
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(await vaultIdOf(state)).toBe(id);
});
