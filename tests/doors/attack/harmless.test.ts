import { type LiveServer, startLiveServer } from '../../support/live-server';

/** What an agent's token brings in does nothing when the note is shown, at every door that takes a text. */
const AGENT = 'laptop';
let server: LiveServer;
beforeAll(async () => {
  const note = `---\nwing: net\nhall: facts\norigin: mcp\nwritten_by: ${AGENT}\n---\n# Words\n\nSome.\n`;
  const files = { 'wiki/net/facts/gemini.md': note, 'wiki/net/facts/CLAUDE.md': note };
  server = await startLiveServer(files, { rateLimit: 0 });
});
afterAll(async () => server.stop());

const HOSTILE = [
  '---',
  'excalidraw-onload-script: x',
  'banner: https://evil.example/p.png',
  'link: "[x](obsidian://run)"',
  'other: file:///etc/passwd',
  '---',
  '# Attack',
  '',
  ...['datacorejsx', 'js-engine-debug', 'meta-bind-button', 'brand-new'].map(
    (word) => `\`\`\`${word}\nx\n\`\`\`\n`,
  ),
  '```tasks\nfilter by \\\n function x\n```',
].join('\n');

it.each([
  ['/write', { wing: 'net', hall: 'facts', slug: 'a', content: HOSTILE }],
  ['/capture', { text: HOSTILE.replace('# Attack', '# Other') }],
  ['/ingest-raw', { pages: [{ title: 'Third', content: HOSTILE.replace('# Attack', '# Third') }] }],
])('%s writes it as text', async (route, input) => {
  const before = await server.snapshot();
  const { status } = await server.http('POST', route, input, AGENT);
  expect(status).toBeLessThan(300);
  const made = Object.entries(await server.snapshot()).filter(
    ([path, text]) =>
      before[path] !== text && /^(?:wiki|raw)\/.*\.md$/.test(path) && !path.endsWith('_index.md'),
  );
  expect(made).toHaveLength(1);
  const text = made[0]?.[1] ?? '';
  expect(text).toContain('"`excalidraw-onload-script`": x\n');
  expect(text).toContain('other: "`file:///etc/passwd`"\n');
  expect(text).not.toMatch(/^(?:excalidraw|banner)|obsidian:|^```(?!text$|$)/m);
  expect(text).toContain('meta-bind-button\n```text\nx\n');
});

it.each(['update', 'overwrite', 'overwrite by a dry run'])(
  '%s changes a note in small letters that the service has named, and no file of instructions',
  async (how) => {
    const before = await server.snapshot();
    const change = (name: string) => {
      const content = `# Words\n\nOther, by ${how}.\n`;
      const input =
        how === 'update'
          ? { path: `wiki/net/facts/${name}.md`, content, reason: 'x' }
          : {
              wing: 'net',
              hall: 'facts',
              slug: name,
              content,
              overwrite: true,
              dry_run: how !== 'overwrite',
            };
      return server.http('POST', how === 'update' ? '/update' : '/write', input, AGENT);
    };
    for (const [name, status, words] of [
      ['CLAUDE', 403, 'so changing it needs'],
      ['agents', how === 'update' ? 404 : 403, how === 'update' ? 'note_not_found' : 'Choose another name'],
    ] as const) {
      const { status: got, body } = await change(name);
      expect([got, JSON.stringify(body)]).toEqual([status, expect.stringContaining(words)]);
    }
    expect(await server.snapshot()).toEqual(before);
    expect((await change('gemini')).status).toBe(200);
  },
);

it.each(['CLAUDE', 'agents', 'Gemini.md', 'SKILL', 'copilot-instructions', 'claude.local'])(
  'the name %s needs the scope admin',
  async (slug) => {
    const before = await server.snapshot();
    const content = '# Words\n\nSome.\n';
    for (const [route, input] of [
      ['/write', { wing: 'net', hall: 'facts', slug, content }],
      ['/write', { filename: slug, content }],
      ['/ingest-raw', { pages: [{ title: 'Words', content, slug }] }],
    ] as const) {
      const { status, body } = await server.http('POST', route, input, AGENT);
      expect(status).toBe(403);
      expect(JSON.stringify(body)).toContain('"forbidden_scope"');
    }
    expect(await server.snapshot()).toEqual(before);
  },
);

it('keeps files of a batch that a program would open under names of text', async () => {
  const names = ['fileloc', 'webloc', 'scpt', 'docm', 'py'].map((each) => `a.${each}`);
  const links = names.map((name) => `[${name}](${name})`).join(' ');
  const { body } = await server.http('POST', '/ingest-batch', {}, AGENT);
  const batch = String(body.batch);
  for (const name of ['note.md', ...names]) {
    const answer = await fetch(
      `${server.url}/ingest-batch/file?${new URLSearchParams({ batch, name }).toString()}`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${AGENT}` },
        body: name === 'note.md' ? `# Linking\n\n${links}\n` : 'PK words',
      },
    );
    expect([name, answer.status, await answer.text()]).toEqual([name, 200, expect.anything()]);
  }
  const { attachments } = (await server.http('POST', '/ingest-batch/done', { batch }, AGENT)).body;
  expect(attachments).toHaveLength(names.length);
  for (const file of names)
    expect(attachments).toContainEqual({ file, original: expect.stringMatching(/^inbox\/.*\.txt$/) });
});
