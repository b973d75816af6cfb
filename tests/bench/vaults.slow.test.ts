import { madeVault } from '../../bench/vault-made';
import { measureVault, share } from '../../bench/vaults';

it('keeps what an owner is promised of his vault', async () => {
  const kept = await measureVault(madeVault(1));
  expect(kept.filter((each) => share(each) < each.mark)).toEqual([]);
  // Each was tried.
  expect(kept.filter(({ of, mark }) => of === 0 && mark > 0)).toEqual([]);
});
