import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type LiveServer, startLiveServer } from '../support/live-server';
import { notOn } from '../support/systems';

const DIARY = 'Own/diary.md';
const OURS = '---\norigin: mcp\nwritten_by: claude\n---\n';
let server: LiveServer;

async function modeOf(path: string): Promise<string> {
  return ((await stat(join(server.root, path))).mode & 0o777).toString(8);
}

notOn(['win32'], 'it has no permission bits').describe('file modes', () => {
  beforeEach(async () => {
    server = await startLiveServer(
      {
        [DIARY]: 'Dear diary.\n',
        'Own/list.md': 'See [[Own/diary]].\n',
        'raw/2026-11-20-q.md': `${OURS}# Q\n\nQ.\n`,
      },
      { watch: false },
      async (root) => {
        await chmod(join(root, DIARY), 0o600);
        await chmod(join(root, 'Own/list.md'), 0o640);
        await chmod(join(root, 'raw/2026-11-20-q.md'), 0o660);
      },
    );
  });
  afterEach(() => server.stop());

  it('of a note are kept when it moves, is given back, and when its links follow', async () => {
    const post = async (path: string, body: unknown) => {
      const answer = await server.http('POST', path, body);
      expect(answer).toMatchObject({ status: 200 });
      return String(answer.body.path);
    };
    const adopted = await post('/adopt', { path: DIARY, wing: 'own', hall: 'facts' });
    expect([await modeOf(adopted), await modeOf('Own/list.md')]).toEqual(['600', '640']);
    await post('/update', { path: adopted, content: 'Dear diary, more.', reason: 'more' });
    const moved = await post('/move', { path: adopted, hall: 'decisions' });
    expect(await modeOf(moved)).toBe('600');
    expect(await post('/unpromote', { path: moved })).toBe(DIARY);
    expect([await modeOf(DIARY), await modeOf('Own/list.md')]).toEqual(['600', '640']);
    const promoted = await post('/promote', { path: 'raw/2026-11-20-q.md', wing: 'own', hall: 'facts' });
    expect(await modeOf(promoted)).toBe('660');
  });

  it('of the state of the service let no other user read', async () => {
    const update = { wing: 'own', hall: 'facts', slug: 'x', content: '# X\n\nX.\n' };
    await server.http('POST', '/write', update);
    await server.http('POST', '/write', { ...update, content: '# X\n\nY.\n', overwrite: true });
    const client = await server.mcp();
    await client.callTool({ name: 'brain_get', arguments: { path: 'wiki/own/facts/x.md' } });
    const paths = await readdir(join(server.root, '.brain'), { recursive: true });
    expect(paths.map((path) => path.split('/')[0])).toEqual(
      expect.arrayContaining(['history', 'audit', 'changes']),
    );
    const open = [];
    for (const path of ['.', ...paths]) {
      const { mode } = await stat(join(server.root, '.brain', path));
      if ((mode & 0o077) !== 0) open.push([path, (mode & 0o777).toString(8)]);
    }
    expect(open).toEqual([]);
  });
});
