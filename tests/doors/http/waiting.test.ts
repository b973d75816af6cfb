import { settleConfig } from '../../../src/core/config/config';
import { createWaitingApp } from '../../../src/doors/http/app';
import { startServer } from '../../../src/doors/http/listen';
import { silentLog } from '../../support/silent-log';
import { call } from '../http-support';

const ANONYMOUS = { headers: { authorization: '' } };

it('proves whose it is and says why it answers nothing else while its vault is away', async () => {
  const fault = 'The database of the vault does not answer.';
  const prove = async (nonce: string) => ({ proof: `of ${nonce}` });
  const app = createWaitingApp({
    ...{ config: settleConfig({}, {}), log: silentLog(), version: '1.2.3' },
    ...{ fault, prove },
  });
  const { url, stop } = await startServer(app, { host: '127.0.0.1', port: 0 });
  const nonce = 'a'.repeat(43);
  expect(await call(url, 'GET', `/proof?nonce=${nonce}`, ANONYMOUS)).toMatchObject({
    ...{ status: 200, body: { proof: `of ${nonce}` } },
  });
  const error = {
    code: 'starting',
    message: expect.stringMatching(
      /^The database of the vault does not answer\. It is tried again by itself; the log/,
    ),
  };
  expect(await call(url, 'GET', '/ready', ANONYMOUS)).toMatchObject({
    ...{ status: 503, body: { ready: false, error } },
  });
  expect(await call(url, 'GET', '/query')).toMatchObject({ status: 503, body: { error } });
  expect((await call(url, 'GET', '/health', ANONYMOUS)).body).toEqual({
    status: 'starting',
    version: '1.2.3',
  });
  await stop();
});
