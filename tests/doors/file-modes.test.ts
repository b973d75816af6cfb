import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFileSystem } from '../../src/adapters/files/file-system';
import { openNodeState, prepareState } from '../../src/adapters/files/state-folder';
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

  it.each([
    [0o600, 0o644],
    [0o644, 0o600],
  ])(
    'of a queued note (%o) and the one it replaces (%o) are not widened, nor when it is taken back',
    async (raw, wiki) => {
      const [queued, replaced] = ['raw/2026-11-20-q.md', 'wiki/own/facts/x.md'];
      await server.http('POST', '/write', { wing: 'own', hall: 'facts', slug: 'x', content: '# X\n\nX.\n' });
      await chmod(join(server.root, queued), raw);
      await chmod(join(server.root, replaced), wiki);
      const post = async (path: string, body: unknown) =>
        expect(await server.http('POST', path, body)).toMatchObject({ status: 200 });
      await post('/replace', { path: queued, replaces: replaced, reason: 'newer' });
      expect(await modeOf(replaced)).toBe('600');
      await post('/unpromote', { path: replaced });
      expect([await modeOf(queued), await modeOf(replaced)]).toEqual(['600', '600']);
      await post('/replace', { path: queued, replaces: replaced, reason: 'newer' });
      const asked = { by: 'owner', since: '1d' };
      const { body: seen } = await server.http('POST', '/undo', { ...asked, dry_run: true });
      await post('/undo', { ...asked, plan: seen.plan });
      expect(await modeOf(queued)).toBe('600');
    },
  );

  it.each([
    [0o2770, 0o2770, 0o660],
    [0o2775, 0o2770, 0o660],
    [0o755, 0o700, 0o600],
  ])('of a state with the mode %o become %o, and %o for its files', async (mode, folder, file) => {
    const root = await mkdtemp(join(tmpdir(), 'brain-modes-'));
    const umask = process.umask(0o002);
    try {
      await mkdir(join(root, '.brain'));
      await chmod(join(root, '.brain'), mode);
      await prepareState(root, { device: 'test' });
      const state = await openNodeState(root, { device: 'test' });
      await state.create('audit/x.md', 'X.');
      await state.close();
      const found = ['', 'version', 'audit', 'audit/x.md'].map(
        async (path) => (await stat(join(root, '.brain', path))).mode & 0o7777,
      );
      expect(await Promise.all(found)).toEqual([folder, file, folder, file]);
    } finally {
      process.umask(umask);
      await rm(root, { recursive: true });
    }
  });

  it('of a state that cannot be closed end no start', async () => {
    const root = await mkdtemp(join(tmpdir(), 'brain-modes-'));
    await mkdir(join(root, '.brain'));
    await chmod(join(root, '.brain'), 0o755);
    const fs = {
      ...nodeFileSystem,
      open: async (...args: Parameters<typeof nodeFileSystem.open>) => ({
        ...(await nodeFileSystem.open(...args)),
        chmod: () => Promise.reject(Object.assign(new Error('not here'), { code: 'ENOSYS' })),
      }),
    };
    await prepareState(root, { device: 'test', fs });
    expect(await readdir(join(root, '.brain'))).toContain('version');
    await rm(root, { recursive: true });
  });

  it('of the state of the service let no other user read', async () => {
    const update = { wing: 'own', hall: 'facts', slug: 'x', content: '# X\n\nX.\n' };
    await server.http('POST', '/write', update);
    await server.http('POST', '/write', { ...update, content: '# X\n\nY.\n', overwrite: true });
    const client = await server.mcp();
    await client.callTool({ name: 'brain_get', arguments: { path: 'wiki/own/facts/x.md' } });
    const paths = await readdir(join(server.root, '.brain'), { recursive: true });
    expect(paths.map((path) => path.split('/')[0])).toEqual(
      expect.arrayContaining(['history', 'audit', 'past']),
    );
    const open = [];
    for (const path of ['.', ...paths]) {
      const { mode } = await stat(join(server.root, '.brain', path));
      if ((mode & 0o077) !== 0) open.push([path, (mode & 0o777).toString(8)]);
    }
    expect(open).toEqual([]);
  });
});
