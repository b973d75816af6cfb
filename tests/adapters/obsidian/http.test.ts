import { obsidianHttp } from '../../../src/adapters/obsidian/http';
import type { HttpRequest } from '../../../src/core/ports/ports';
import { StopController } from '../../../src/core/base/concurrency';
import { fixedClock } from '../../support/fixed-clock';
import { manualSleep } from '../../support/manual-sleep';
import { createHost, type HostOptions } from '../../obsidian/index';

const request: HttpRequest = {
  method: 'POST',
  url: 'http://ai.lan/api/embed',
  headers: { accept: 'application/json' },
  body: '{"größe":1}',
  timeoutMs: 60_000,
  maxBytes: 100,
};

async function opened(requests: NonNullable<HostOptions['requests']>) {
  const host = await createHost({ requests });
  const time = manualSleep(fixedClock());
  return { host, time, http: obsidianHttp(time.sleep) };
}

it('asks through the app and answers with any status', async () => {
  const { host, http } = await opened(() => ({ status: 503, headers: { 'X-A': 'b' }, body: 'größe' }));
  expect(await http.send(request)).toEqual({ status: 503, headers: { 'x-a': 'b' }, body: 'größe' });
  const { method, url, headers, body } = request;
  expect(host.requests).toEqual([{ method, url, headers, body, throw: false }]);
  host.dispose();
});

it.each([
  ['too much', () => ({ status: 200, body: 'x'.repeat(101) }), 'too_large'],
  ['a redirect', () => ({ status: 307 }), 'redirect'],
  [
    'a connection that fails',
    () => {
      throw new Error('net::ERR_CONNECTION_REFUSED');
    },
    'CONNECTION_REFUSED',
  ],
])('refuses %s', async (_, handler, code) => {
  const { host, http } = await opened(handler);
  await expect(http.send(request)).rejects.toMatchObject({ name: 'HttpFailure', code });
  host.dispose();
});

it('no longer waits when the time is over or it is told to stop', async () => {
  const { host, http, time } = await opened(() => new Promise(() => undefined));
  const late = http.send(request);
  late.catch(() => undefined);
  await time.pass(60_000);
  await expect(late).rejects.toMatchObject({ code: 'timeout' });
  const stop = new StopController();
  const stopped = http.send({ ...request, signal: stop });
  stop.stop();
  await expect(stopped).rejects.toMatchObject({ code: 'stopped' });
  host.dispose();
});
