import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ServedVault } from '../../../src/headless/server/served';
import { withTempFolder } from '../../support/temp-folder';

const ID = 'a'.repeat(32);

/** What `open` makes of an empty folder, with this text remembered of it. */
const openingWith = (remembered: string) =>
  withTempFolder(async (folder) => {
    const [config, root] = [path.join(folder, 'config'), path.join(folder, 'vault')];
    const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
    await mkdir(path.join(config, 'served'), { recursive: true });
    await writeFile(path.join(config, 'served', `${name}.json`), remembered);
    const opening = new ServedVault(config, root).open({}, 'brain', () =>
      Promise.reject(new Error('It was opened.')),
    );
    return opening.then(String, String);
  });

it.each([
  ['as it is written', JSON.stringify({ path: '/v', id: ID }, null, 1), /waits until that vault is back/],
  ['in another layout', JSON.stringify({ id: ID, path: '/v' }), /waits until that vault is back/],
  ['without an id', '{"path": "/v"}', /It was opened/],
  ['cut off', '{"path": "/v", "id": "a', /It was opened/],
])('what is remembered of a vault is read %s', async (_, remembered, said) => {
  expect(await openingWith(remembered)).toMatch(said);
});
