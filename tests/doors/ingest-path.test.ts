import { execFileSync } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LiveServer, startLiveServer } from '../support/live-server';

let server: LiveServer;

beforeAll(async () => {
  const files = {
    'inbox/a.md': '# A\n\nWords of a.\n',
    'inbox/sub/b.txt': 'Words of b.\n',
    'inbox/c.docx': 'PK',
    'Notes/private.md': '# Private\n',
    '.obsidian/data.json': '{"key":"secret"}',
  };
  server = await startLiveServer(files, { watch: false }, async (root) => {
    await symlink(join(root, 'Notes/private.md'), join(root, 'inbox/link.md'));
    await symlink('/dev/zero', join(root, 'inbox/zero.md'));
    await symlink('loop', join(root, 'inbox/loop'));
    execFileSync('mkfifo', [join(root, 'inbox/pipe.md')]);
    await mkdir(join(root, 'inbox/many'));
    for (let number = 0; number <= 1000; number += 1)
      await writeFile(join(root, `inbox/many/${number}.md`), '');
  });
});
afterAll(() => server.stop());

/**
 * Everything that stands in the vault; what it holds of pipes and devices cannot be read. The catalog is saved at leisure, by
 * way of a temporary file.
 */
async function names(): Promise<string[]> {
  const all = await readdir(server.root, { recursive: true });
  return all.filter((name) => !/catalog\.bin|[\\/]tmp[\\/]/.test(name)).sort();
}

describe('POST /ingest-path', () => {
  it.each<[string, number, string]>([
    ['Notes/private.md', 400, 'path_not_allowed'],
    ['Notes/absent.md', 400, 'path_not_allowed'],
    ['/etc/passwd', 400, 'path_not_allowed'],
    ['/etc/absent', 400, 'path_not_allowed'],
    ['/proc/self/environ', 400, 'path_not_allowed'],
    ['.obsidian/data.json', 400, 'path_not_allowed'],
    ['.brain/state.json', 400, 'path_not_allowed'],
    ['wiki/a/facts/b.md', 400, 'path_not_allowed'],
    ['inbox/../Notes/private.md', 400, 'path_not_allowed'],
    ['inbox/%2e%2e/Notes/private.md', 400, 'source_missing'],
    ['inbox%2f..%2fNotes/private.md', 400, 'path_not_allowed'],
    ['inbox/link.md', 400, 'path_not_allowed'],
    ['inbox/zero.md', 400, 'path_not_allowed'],
    ['inbox/loop', 400, 'path_not_allowed'],
    ['inbox/pipe.md', 400, 'unsupported_type'],
    ['inbox/c.docx', 400, 'unsupported_type'],
    ['inbox/absent.md', 400, 'source_missing'],
    ['inbox/many', 413, 'too_large'],
    ['', 400, 'invalid_field'],
  ])('refuses "%s" with %i %s, and changes nothing', async (path, status, code) => {
    const before = await names();
    const answer = await server.http('POST', '/ingest-path', { path }, 'laptop');
    expect([answer.status, Object(answer.body.error).code]).toEqual([status, code]);
    expect(answer.text).not.toContain('secret');
    expect(await names()).toEqual(before);
  });

  it('needs a scope that may write or propose', async () => {
    const answer = await server.http('POST', '/ingest-path', { path: 'inbox/a.md' }, 'reader');
    expect([answer.status, Object(answer.body.error).code]).toEqual([403, 'forbidden_scope']);
  });

  it('answers with what became of a file', async () => {
    const answer = await server.http('POST', '/ingest-path', { path: 'inbox/sub/b.txt' }, 'proposer');
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { file: 'inbox/sub/b.txt', converted: false, destination: 'raw', counts: { written: 1 } },
    ]);
  });
});

describe('a job', () => {
  it('is begun, asked for and kept for its caller alone', async () => {
    const ask = { path: 'inbox/a.md', background: true };
    const begun = await server.http('POST', '/ingest-path', ask, 'laptop');
    expect([begun.status, begun.body]).toEqual([
      200,
      { job: expect.stringMatching(/^[0-9a-f]{24}$/), status: 'running', done: 0, total: 0 },
    ]);
    const at = `/job?id=${String(begun.body.job)}`;
    let answer = begun;
    while ('job' in answer.body) answer = await server.http('GET', at, undefined, 'laptop');
    expect([answer.status, answer.body]).toMatchObject([200, { file: 'inbox/a.md', counts: { written: 1 } }]);
    // It has ended, so there is nothing to cancel, and its outcome stays.
    expect((await server.http('DELETE', at, undefined, 'laptop')).body).toEqual(answer.body);
    for (const method of ['GET', 'DELETE']) {
      const other = await server.http(method, at, undefined, 'proposer');
      expect([method, other.status, Object(other.body.error).code]).toEqual([method, 404, 'not_found']);
      const reader = await server.http(method, at, undefined, 'reader');
      expect([method, reader.status]).toEqual([method, 403]);
    }
  });

  it('is what a text becomes too when its sender does not wait', async () => {
    const ask = { text: 'A thought that nobody waits for.', background: true };
    const begun = await server.http('POST', '/ingest', ask, 'laptop');
    let answer = begun;
    while ('job' in answer.body)
      answer = await server.http('GET', `/job?id=${String(begun.body.job)}`, undefined, 'laptop');
    expect(answer.body).toMatchObject({ extraction: 'passthrough', counts: { written: 1 } });
  });

  it('fails with what it failed with, as the call itself would have', async () => {
    await writeFile(join(server.root, 'inbox/empty.md'), '');
    const begun = await server.http(
      'POST',
      '/ingest-path',
      { path: 'inbox/empty.md', background: true },
      'laptop',
    );
    let answer = begun;
    while ('job' in answer.body)
      answer = await server.http('GET', `/job?id=${String(begun.body.job)}`, undefined, 'laptop');
    expect([answer.status, Object(answer.body.error).code]).toEqual([400, 'no_text']);
  });

  it.each<[string, number, string]>([
    ['/job', 400, 'missing_field'],
    ['/job?id=abc', 404, 'not_found'],
    ['/job?id=abc&other=1', 400, 'unknown_field'],
  ])('that is asked for with %s is %i %s', async (at, status, code) => {
    const answer = await server.http('GET', at, undefined, 'laptop');
    expect([answer.status, Object(answer.body.error).code]).toEqual([status, code]);
  });
});

it('names the file by its path in the vault when the converter fails, over every door', async () => {
  const path = 'inbox/plan.docx';
  const server = await startLiveServer(
    { [path]: 'no document' },
    { converterUrl: 'http://127.0.0.1:9', watch: false },
  );
  for (const given of [path, `/${path}`, `brain/${path}`, `${server.root}/${path}`]) {
    const { body } = await server.http('POST', '/ingest-path', { path: given });
    expect(body).toMatchObject({ error: { code: 'converter_error', details: { file: path } } });
    const client = await server.mcp();
    const result = await client.callTool({ name: 'brain_ingest', arguments: { path: given } });
    expect(JSON.stringify(result.content)).toContain(`\\"file\\":\\"${path}\\"`);
  }
  await server.stop();
});
