import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type LiveServer, startLiveServer } from '../support/live-server';

let server: LiveServer;
beforeAll(async () => {
  server = await startLiveServer({ 'wiki/old/facts/mine.md': '---\nwing: elsewhere\n---\n# Mine\n' });
});
afterAll(() => server.stop());

/** Resolves when a file of the vault says what it should; the test's own time limit ends the wait. */
async function until(path: string, wanted: RegExp): Promise<string> {
  for (;;) {
    const text = await readFile(join(server.root, path), 'utf8').catch(() => '');
    if (wanted.test(text)) return text;
    // Asking takes a turn through the whole server, which lets it see the disk as well.
    await server.http('GET', '/revision');
  }
}

it('follows a folder that is renamed on the disk of a running server', async () => {
  await server.http('POST', '/write', { wing: 'net', hall: 'facts', slug: 'mtu', content: '# MTU\n' });
  await server.http('POST', '/write', { wing: 'net', hall: 'facts', slug: 'dns', content: '# DNS\n' });
  const { body: before } = await server.http('GET', '/revision');
  await rename(join(server.root, 'wiki/net'), join(server.root, 'wiki/network'));
  expect(await until('wiki/network/facts/mtu.md', /wing: network/)).not.toMatch(/updated_at|supersedes/);
  await until('wiki/network/facts/dns.md', /wing: network/);
  await until('wiki/network/_index.md', /network\/facts\/dns[^]*network\/facts\/mtu/);
  expect((await server.http('GET', '/revision')).body).not.toEqual(before);
  // The disk tells of what is new and of what is gone one after the other.
  let wings: string;
  do wings = (await server.http('GET', '/wings')).text;
  while (wings.includes('"net"'));
  expect(wings).toContain('"network"');
}, 30_000);

it('left what stood there before it started as it was', async () => {
  expect(await readFile(join(server.root, 'wiki/old/facts/mine.md'), 'utf8')).toBe(
    '---\nwing: elsewhere\n---\n# Mine\n',
  );
});
