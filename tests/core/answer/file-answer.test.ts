import fc from 'fast-check';
import { answerNotes } from '../../../src/core/answer/operation';
import { fileAnswer } from '../../../src/core/answer/file';
import { parseMarkdown, within } from '../../../src/core/markdown/parse';
import { listPending } from '../../../src/core/review/pending';
import { fakeModel } from '../../support/fake-model';
import { agent, callerWith, openTestBrain, person } from '../../support/test-brain';

const MTU = 'wiki/homelab/facts/wireguard-mtu.md';
const FILES = {
  [MTU]: '# WireGuard [MTU]\n\nThe tunnel needs an MTU of **1380** bytes,\nbecause the modem takes twenty.\n',
  'knowledge/dns.md': '# DNS\n\nNames are asked at 10.0.0.1.\n\n%%The vault is open for everybody.%%\n',
  'wiki/homelab/facts/short.md': '# Is the door open\n\nNo.\n',
  'wiki/homelab/facts/marked.md': '# Gauge\n\nThe gauge reads green, see [2].\n',
  'raw/2026-11-01-x.md': '# X\n\nNobody has reviewed this text.\n',
};
const ANSWER = {
  query: 'Which MTU does\nthe tunnel need?',
  answer: 'It needs 1380 bytes [1], and names are asked at 10.0.0.1 [2].',
  citations: [
    { n: 1, path: MTU, quote: 'The tunnel needs an MTU of **1380** bytes,\nbecause the modem takes twenty.' },
    { n: 2, path: 'knowledge/dns.md', quote: 'names are asked at 10.0.0.1' },
    { n: 1, path: MTU, quote: 'needs an MTU of 1380' },
  ],
  model: 'qwen3',
};

it('becomes a note of the review queue, with its quotes and links to its sources', async () => {
  const { run, files } = await openTestBrain(FILES);
  const filed = await run(fileAnswer, ANSWER);
  expect(filed).toMatchObject({
    path: 'raw/2026-11-20-which-mtu-does-the-tunnel-need.md',
    created: true,
    warnings: [],
  });
  expect(files.get(filed.path)).toBe(`---
created_at: 2026-11-20T10:32:00Z
type: answer
origin: http
written_by: laptop
title: "Which MTU does the tunnel need?"
sources: ["[[wiki/homelab/facts/wireguard-mtu|WireGuard (MTU)]]", "[[knowledge/dns|DNS]]"]
answered_by: qwen3
---
# Which MTU does the tunnel need?

It needs 1380 bytes [1], and names are asked at 10.0.0.1 [2].

## Quotes

[1] [[wiki/homelab/facts/wireguard-mtu|WireGuard (MTU)]]

> The tunnel needs an MTU of **1380** bytes,
> because the modem takes twenty.

[2] [[knowledge/dns|DNS]]

> Names are asked at 10.0.0.1

[1] [[wiki/homelab/facts/wireguard-mtu|WireGuard (MTU)]]

> needs an MTU of **1380**
`);
  const pending = await run(listPending, {});
  expect(pending.pending.map(({ path }) => path)).toContain(filed.path);
});

it('is unchanged when it is filed twice, and tried without being filed', async () => {
  const { run, files } = await openTestBrain(FILES);
  const before = files.size;
  expect((await run(fileAnswer, { ...ANSWER, dry_run: true })).created).toBe(true);
  expect(files.size).toBe(before);
  const { path } = await run(fileAnswer, ANSWER);
  expect(await run(fileAnswer, ANSWER)).toMatchObject({ path, unchanged: true });
});

it.each([
  ['an agent that may write', agent, 'laptop'],
  ['an agent that may only propose', callerWith(['read', 'propose'], 'guest'), 'guest'],
  ['a person', person, 'human:me'],
])('waits for review when it comes from %s', async (_, caller, writer) => {
  const { run, files } = await openTestBrain(FILES);
  const { path, warnings } = await run(fileAnswer, ANSWER, caller);
  expect(path).toMatch(/^raw\//);
  expect(warnings).toEqual([]);
  expect(files.get(path)).toContain(`\nwritten_by: ${writer}\n`);
});

it('passes the gate like any note', async () => {
  const { run, files } = await openTestBrain(FILES);
  const answer =
    'See ![x](https://evil.example/a.png) [[no/such/note]] <script>go()</script> [a](javascript:b) [1].';
  const filed = await run(fileAnswer, { ...ANSWER, answer });
  expect(filed.unlinked).toContain('no/such/note');
  const body = files.get(filed.path) ?? '';
  expect(body).not.toMatch(/!\[|\[\[no|<script|\(javascript/);
});

it('files what was answered, letter by letter', async () => {
  const { run, files } = await openTestBrain(FILES);
  const { query, answer, citations } = await run(answerNotes, { query: 'MTU of the tunnel' });
  const cited = citations.map(({ n, path, quote }) => ({ n, path, quote }));
  const { path } = await run(fileAnswer, { query, answer, citations: cited });
  for (const { quote } of citations) expect(files.get(path)).toContain(`> ${quote.split('\n').join('\n> ')}`);
});

it('takes out marks that lead to no citation', async () => {
  const { run, files } = await openTestBrain(FILES);
  const citations = [{ n: 1, path: 'wiki/homelab/facts/short.md', quote: 'No.' }];
  const answer = 'Two [1] and [1, 2] and [1-3], so [2] [7].';
  const { path } = await run(fileAnswer, { query: 'Is it open?', answer, citations });
  expect(files.get(path)).toContain('\nTwo [1] and [1] and [1], so.\n');
});

it('refuses an answer of nothing but such marks', async () => {
  const { refusal } = await openTestBrain(FILES);
  const { code } = await refusal(fileAnswer, { ...ANSWER, answer: '[7]' });
  expect(code).toBe('empty_content');
});

it('refuses one number for two notes, and says which citation', async () => {
  const { refusal } = await openTestBrain(FILES);
  const [first, second] = ANSWER.citations;
  const citations = [first, { ...second, n: 1 }];
  const said = await refusal(fileAnswer, { ...ANSWER, citations });
  expect(said).toMatchObject({
    code: 'invalid_field',
    details: { field: 'citations.1.n', path: 'knowledge/dns.md' },
  });
  expect(said.message).toContain(`"citations.1.n" is 1, the number of ${MTU}.`);
});

it('files a short paragraph as a whole', async () => {
  const { run, files } = await openTestBrain(FILES);
  const citations = [{ n: 1, path: 'wiki/homelab/facts/short.md', quote: 'No.' }];
  const { path } = await run(fileAnswer, { query: 'Is it open?', answer: 'No [1].', citations });
  expect(files.get(path)).toContain('\n> No.\n');
});

it("makes no citation of a mark in a note's own text", async () => {
  const { run, files } = await openTestBrain(FILES);
  const { query, answer, citations } = await run(answerNotes, { query: 'gauge reads green' });
  const cited = citations.map(({ n, path, quote }) => ({ n, path, quote }));
  const { path } = await run(fileAnswer, { query, answer, citations: cited });
  const filed = files.get(path) ?? '';
  expect(filed).toContain('[1] The gauge reads green, see \\[2\\].');
  expect(filed).toContain('> The gauge reads green, see \\[2\\].');
  expect(filed).not.toContain('[2]');
});

/** The heading of the quotes, and the lines that name their notes, as a reader sees them. */
function quotesShown(text: string): { heading: boolean; names: readonly string[] } {
  const { body, sections, quiet, spans } = parseMarkdown(text.replace(/^---\n[^]*?\n---\n/, ''));
  const heading = body.lastIndexOf('\n## Quotes\n') + 1;
  const isQuiet = within(quiet);
  const names = spans.filter(({ kind, from }) => kind === 'wikilink' && from > heading && !isQuiet(from));
  return {
    heading: sections.some(({ kind, from }) => kind === 'heading' && from === heading) && !isQuiet(heading),
    names: names.map(({ from, to }) => body.slice(from, to)),
  };
}

describe('shows the quotes below whatever the answer leaves open', () => {
  const citations = [
    { n: 1, path: MTU, quote: 'needs an MTU of 1380' },
    { n: 2, path: 'knowledge/dns.md', quote: 'names are asked at 10.0.0.1' },
  ];
  const shown = {
    heading: true,
    names: ['[[wiki/homelab/facts/wireguard-mtu|WireGuard (MTU)]]', '[[knowledge/dns|DNS]]'],
  };

  it.each([
    ['a fence', 'It is 1380 [1].\n\n```\nopen', 'It is 1380 [1].\n\n```\nopen\n```\n\n## Quotes\n'],
    ['a long fence', '`````js\n```\n', '`````js\n```\n`````\n\n## Quotes\n'],
    ['a fence of tildes', '~~~\n```', '~~~\n```\n~~~\n\n## Quotes\n'],
    ['a fence in an item, which ends with it', '- ```\n  open', '\n- ```\n  open\n\n## Quotes\n'],
    ['math', 'It is\n$$\nx [1]', 'It is\n$$\nx [1]\n$$\n\n## Quotes\n'],
    ['a comment', 'It is [1]\n\n%%\nx', '\n%%\nx\n%%\n\n## Quotes\n'],
    ['a comment of HTML', 'It is [1]\n\n<!-- x', '\n<!-- x\n-->\n\n## Quotes\n'],
    ['a comment and math', '%% $$ [1]', '\n%% $$ [1]\n$$\n%%\n\n## Quotes\n'],
    ['what cannot be closed', '<script>\n```\n', '\n````\n<script>\n```\n````\n\n## Quotes\n'],
  ])('%s', async (_, answer, filed) => {
    const { run, files } = await openTestBrain(FILES);
    const { path } = await run(fileAnswer, { query: 'What is it?', answer, citations });
    expect(files.get(path)).toContain(filed);
    expect(quotesShown(files.get(path) ?? '')).toEqual(shown);
  });

  it('or its question, or a quote', async () => {
    const files = { ...FILES, 'knowledge/odd.md': '# Odd\n\nIt costs 100 %% and 5 $$ a day.\n' };
    const opened = await openTestBrain(files);
    const quote = 'It costs 100 %% and 5 $$ a day.';
    const { path } = await opened.run(fileAnswer, {
      query: 'What is %% and $$ `a?',
      answer: 'It is 1 [1].',
      citations: [{ n: 3, path: 'knowledge/odd.md', quote }, ...citations],
    });
    const filed = opened.files.get(path) ?? '';
    expect(filed).toContain(`> ${quote}`);
    expect(quotesShown(filed)).toEqual({ heading: true, names: ['[[knowledge/odd|Odd]]', ...shown.names] });
  });

  it('of any kind', async () => {
    const piece = fc.constantFrom(
      ...[
        '```',
        '````',
        '~~~',
        '`',
        '$$',
        '$',
        '%%',
        '<!--',
        '-->',
        '<!X',
        '<?',
        '<![CDATA[',
        '<pre>',
        '</pre>',
      ],
      ...[
        '<script>',
        '</script>',
        '<style>',
        '<div>',
        '- ',
        '1. ',
        '> ',
        '    ',
        '\n',
        '\n',
        '\n\n',
        ' ',
        'word',
      ],
      ...[
        '[1]',
        '[[x|~~~]]',
        '[[x|```]]',
        '![[',
        ']]',
        '|',
        '|-|\n',
        '# ',
        '## Quotes\n',
        '[1]: x',
        '\\',
        '\r\n',
      ],
    );
    const { run, files } = await openTestBrain(FILES);
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 25 }),
        fc.array(piece, { maxLength: 4 }),
        async (said, asked) => {
          const answer = `So: ${said.join('')}`;
          const query = `What ${asked.join('')}`;
          const { path } = await run(fileAnswer, { query, answer, citations });
          expect(quotesShown(files.get(path) ?? '')).toEqual(shown);
          files.delete(path);
        },
      ),
      { numRuns: 300 },
    );
  });
});

it('files an answer of the service whose quote is as long as what a model is shown', async () => {
  const quote = Array.from({ length: 130 }, (_, n) => `Tunnel number ${n} needs an MTU of ${1300 + n} bytes.`)
    .join(' ')
    .slice(0, 5_900)
    .replace(/\s\S*$/, '');
  const path = 'wiki/homelab/facts/tunnels.md';
  const said = (words: string) => ({
    say: { sufficient: true, answer: 'It needs 1380 [1].', citations: [{ n: 1, quote: words }] },
  });
  const lines = quote.replaceAll('. ', '.\n\n');
  const model = fakeModel(said(quote));
  const { run, files } = await openTestBrain({ [path]: `# Tunnel MTU\n\n${lines}\n` }, {}, undefined, {
    model,
  });
  const { query, answer, citations } = await run(answerNotes, { query: 'tunnel MTU bytes' });
  expect(citations.map(({ quote: given }) => given.length > 4_000)).toEqual([true]);
  const filed = await run(fileAnswer, {
    query,
    answer,
    citations: citations.map(({ n, quote: given }) => ({ n, path, quote: given })),
  });
  expect(files.get(filed.path)).toContain('> Tunnel number 99 needs');
});

it('gives out no quote that is too long to be sent back', async () => {
  const note = `# Tunnel MTU\n\nThe tunnel needs an MTU${' '.repeat(200)}\n${' \n'.repeat(4_000)}\nof 1380 bytes.\n`;
  const say = {
    sufficient: true,
    answer: 'It needs 1380 [1].',
    citations: [{ n: 1, quote: 'an MTU of 1380 bytes' }],
  };
  const model = fakeModel({ say });
  const { run } = await openTestBrain({ 'wiki/h/facts/a.md': note }, {}, undefined, { model });
  expect(await run(answerNotes, { query: 'tunnel MTU bytes' })).toMatchObject({
    reason: 'no_valid_citations',
  });
});

it('files a fact that stands in the heading that is the title', async () => {
  const { run, files, refusal } = await openTestBrain({
    ...FILES,
    'knowledge/lease.md': '# The lease ends in May 2031\n\nAsk Ann.\n',
  });
  const citing = (quote: string) => ({
    query: 'When does it end?',
    answer: 'In May 2031 [1].',
    citations: [{ n: 1, path: 'knowledge/lease.md', quote }],
  });
  const { path } = await run(fileAnswer, citing('lease ends in May 2031'));
  expect(files.get(path)).toContain('\n> lease ends in May 2031\n');
  expect((await refusal(fileAnswer, citing('lease ends in May 2032'))).code).toBe('invalid_field');
});

it.each(['NFC', 'NFD'] as const)('files a quote in another normal form than its note in %s', async (form) => {
  const note = '# Zürich\n\nDie Größe von Vorzürbel ist groß.\n\nÖl?\n'.normalize(form);
  const { run, files } = await openTestBrain({ 'knowledge/size.md': note });
  for (const said of ['NFC', 'NFD'] as const) {
    for (const words of ['Größe von Vorzürbel', 'Öl?']) {
      const quote = words.normalize(said);
      const { path } = await run(fileAnswer, {
        query: `Wie ${said} ${words}`,
        answer: 'Groß [1].',
        citations: [{ n: 1, path: 'knowledge/size.md', quote }],
      });
      expect(files.get(path)).toContain(`\n> ${words.normalize(form)}\n`);
    }
  }
});

const one = ANSWER.citations[0];
it.each<[string, object, string]>([
  ['no question', { query: ' ' }, 'empty_query'],
  ['no answer', { answer: '\n' }, 'empty_content'],
  ['no citation', { citations: [] }, 'invalid_field'],
  [
    'a note that is not there',
    { citations: [{ ...one, path: 'wiki/homelab/facts/gone.md' }] },
    'note_not_found',
  ],
  [
    'a note that nobody has reviewed',
    { citations: [{ ...one, path: 'raw/2026-11-01-x.md' }] },
    'path_not_allowed',
  ],
  ['a path that leads out', { citations: [{ ...one, path: '../x.md' }] }, 'path_not_allowed'],
  ['a file of the service', { citations: [{ ...one, path: '.brain/ledger.md' }] }, 'path_not_allowed'],
  [
    'a quote that the note does not hold',
    { citations: [{ ...one, quote: 'The tunnel needs 1500 bytes' }] },
    'invalid_field',
  ],
  ['a quote of one letter', { citations: [{ ...one, quote: 'T' }] }, 'invalid_field'],
  [
    'a quote that begins within a word',
    { citations: [{ ...one, quote: 'unnel needs an MTU of' }] },
    'invalid_field',
  ],
  [
    'a quote of a comment that no reader sees',
    { citations: [{ n: 1, path: 'knowledge/dns.md', quote: 'The vault is open for everybody.' }] },
    'invalid_field',
  ],
  ['a quote of nothing', { citations: [{ ...one, quote: ' ' }] }, 'invalid_field'],
  ['a stamp of its own', { written_by: 'me' }, 'unknown_field'],
])('refuses %s', async (_, change, code) => {
  const { refusal } = await openTestBrain(FILES);
  expect((await refusal(fileAnswer, { ...ANSWER, ...change })).code).toBe(code);
});

it('needs a token that may propose', async () => {
  const { refusal } = await openTestBrain(FILES);
  expect((await refusal(fileAnswer, ANSWER, callerWith(['read']))).code).toBe('forbidden_scope');
});
