import { type LiveServer, startLiveServer } from '../../support/live-server';

/** What an agent's token brings in does nothing when the note is shown, at every door that takes a text. */
const AGENT = 'laptop';
let server: LiveServer;
beforeAll(async () => {
  server = await startLiveServer({}, { rateLimit: 0 });
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
