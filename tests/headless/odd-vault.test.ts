import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startLiveServer } from '../support/live-server';

it('starts and goes on when wing indexes cannot be read or written', async () => {
  const server = await startLiveServer({}, {}, async (root) => {
    for (const wing of ['bytes', 'link', 'folder', 'good']) {
      await mkdir(join(root, 'wiki', wing, 'facts'), { recursive: true });
      await writeFile(join(root, 'wiki', wing, 'facts', 'a.md'), '---\nwritten_by: laptop\n---\n# A\n');
    }
    await writeFile(join(root, 'wiki/bytes/_index.md'), Buffer.from([0xff, 0xfe]));
    await symlink('/etc/hostname', join(root, 'wiki/link/_index.md'));
    await mkdir(join(root, 'wiki/folder/_index.md'));
  });
  const { body } = await server.http('POST', '/query', { query: 'a' });
  expect(body.count).toBe(4);
  const indexed = await server.http('POST', '/index', {});
  expect(indexed.status).toBe(200);
  expect(JSON.stringify(indexed.body)).toMatch('wiki/good/_index.md');
  const written = await server.http('POST', '/write', {
    wing: 'link',
    hall: 'facts',
    slug: 'b',
    content: 'x',
  });
  expect([written.status, JSON.stringify(written.body.warnings)]).toEqual([
    200,
    expect.stringMatching(/index of link/),
  ]);
  await server.stop({ errors: /wing_index/ });
});
