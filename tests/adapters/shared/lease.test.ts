import { takePlace } from '../../../src/adapters/shared/lease';
import type { Sql } from '../../../src/adapters/postgres/sql';
import { silentLog } from '../../support/silent-log';

it('renews its place while the proof of a durable change waits for the standby', async () => {
  let locked: unknown = null;
  let renewed = (): void => undefined;
  const isRenewed = new Promise<void>((resolve) => (renewed = resolve));
  const never = new Promise<never>(() => undefined);
  // The database lets no statement change a row that another one holds.
  const statement: Sql['statement'] = async (text, [first, second] = []) => {
    if (text.includes('VALUES')) {
      locked = second;
      return never;
    }
    if (!text.startsWith('UPDATE')) return [{ name: 'server 1' }];
    if (Array.isArray(first) && first.includes(locked)) return never;
    renewed();
    return [{ name: 'server 1' }];
  };
  const unused = (): never => {
    throw new Error('not asked for');
  };
  const place = await takePlace(
    { place: 'nowhere', statement, transaction: unused, hold: unused, listen: unused, close: unused },
    {
      ...{ holder: 'me', log: silentLog(), onLost: unused, renewMs: 1 },
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    },
  );
  await isRenewed;
  expect(place.unconfirmedMs()).toBeGreaterThan(0);
  await place.release();
});
