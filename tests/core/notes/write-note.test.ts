import { ingestPages } from '../../../src/core/ingest/operations';
import { capture } from '../../../src/core/notes/capture';
import { getNote } from '../../../src/core/notes/get';
import { writeNote } from '../../../src/core/notes/write';
import { BrainError } from '../../../src/core/base/errors';
import { sha256 } from '../../../src/core/base/hash';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { queryNotes } from '../../../src/core/search/query';
import { updateNote } from '../../../src/core/notes/update';
import { listPending } from '../../../src/core/review/pending';
import { promoteNote } from '../../../src/core/review/promote';
import { callerWith, NOW, openTestBrain } from '../../support/test-brain';

const address = { wing: 'Home Lab', hall: 'facts', slug: 'mtu' };

describe('a write with wing and hall', () => {
  it('makes the note, its stamps and the map of its wing', async () => {
    const { run, files } = await openTestBrain();
    const answer = await run(writeNote, { ...address, content: '# MTU\n\nWireGuard wants 1420.\n' });
    expect(answer).toEqual({
      path: 'wiki/home-lab/facts/mtu.md',
      content_hash: sha256(files.get('wiki/home-lab/facts/mtu.md') ?? ''),
      wing: 'home-lab',
      new_wing: true,
      hall: 'facts',
      slug: 'mtu',
      created: true,
      replaced: false,
      unchanged: false,
      index: 'wiki/home-lab/_index.md',
      similar: [],
      refs: [],
      unlinked: [],
      warnings: [],
    });
    expect(files.get('wiki/home-lab/facts/mtu.md')).toBe(
      `---\nwing: home-lab\nhall: facts\ncreated_at: ${NOW}\nsource_type: internal\norigin: http\nwritten_by: laptop\n---\n# MTU\n\nWireGuard wants 1420.\n`,
    );
    expect(files.get('wiki/home-lab/_index.md')).toBe(
      '---\ntype: index\nwing: home-lab\n---\n# home-lab\n\n<!-- brain:index:start -->\n## Facts (1)\n- [[wiki/home-lab/facts/mtu|MTU]] — WireGuard wants 1420.\n<!-- brain:index:end -->\n',
    );
  });

  it('is found by the next query', async () => {
    const { run } = await openTestBrain();
    await run(writeNote, { ...address, content: '# MTU\n\nWireGuard wants 1420.\n' });
    const { results } = await run(queryNotes, { query: 'wireguard' });
    expect(results).toMatchObject([
      {
        path: 'wiki/home-lab/facts/mtu.md',
        wing: 'home-lab',
        hall: 'facts',
        origin: 'http',
        written_by: 'laptop',
      },
    ]);
  });

  it('uses the spelling of a wing folder that is there already', async () => {
    const { run } = await openTestBrain({ 'wiki/Home Lab/facts/old.md': 'old' });
    expect((await run(writeNote, { ...address, content: 'text' })).path).toBe('wiki/Home Lab/facts/mtu.md');
  });

  it('takes the name from the title, numbers it when taken, and makes no twin of a repeated call', async () => {
    const { run } = await openTestBrain();
    const { slug: _, ...unnamed } = address;
    const first = await run(writeNote, { ...unnamed, content: '# Größe & Maß\n\none' });
    const second = await run(writeNote, { ...unnamed, content: '# Größe & Maß\n\ntwo' });
    const repeated = await run(writeNote, { ...unnamed, content: '# Größe & Maß\n\none' });
    expect([first.slug, second.slug, repeated.slug]).toEqual(['grosse-mass', 'grosse-mass-2', 'grosse-mass']);
    expect(repeated).toMatchObject({ unchanged: true, created: false });
  });

  it('merges a block of the content into the one block', async () => {
    const { run, files } = await openTestBrain();
    const content =
      '---\nwing: elsewhere\ntype: note\ncreated_at: 2001-01-01\nauthor: "Ann" # hers\n---\nBody\n';
    const answer = await run(writeNote, { ...address, type: 'ignored', content });
    expect(files.get(answer.path)).toBe(
      `---\nwing: home-lab\nhall: facts\ncreated_at: ${NOW}\ntype: note\nsource_type: internal\norigin: http\nwritten_by: laptop\nauthor: "Ann" # hers\n---\nBody\n`,
    );
    expect(answer.warnings.join('\n')).toMatch(/wing/);
  });

  it('turns a link to nothing into text and says so', async () => {
    const { run, files } = await openTestBrain({ 'wiki/net/facts/dns.md': '# DNS\n' });
    const answer = await run(writeNote, { ...address, content: 'See [[DNS]] and [[Ghost]].' });
    expect(answer.unlinked).toEqual(['Ghost']);
    expect(files.get(answer.path)).toMatch('See [[wiki/net/facts/dns|DNS]] and Ghost.');
  });
});

describe('a write onto an existing note', () => {
  const content = '# MTU\n\nWireGuard wants 1420.\n';

  it('is refused with the hash to update from', async () => {
    const { run, refusal } = await openTestBrain();
    const { content_hash, path } = await run(writeNote, { ...address, content });
    expect(await refusal(writeNote, { ...address, content: 'other' })).toMatchObject({
      code: 'note_exists',
      details: { path, content_hash },
    });
    expect(await refusal(writeNote, { ...address, slug: 'MTU', content: 'other' })).toMatchObject({
      code: 'note_exists',
      details: { path },
    });
  });

  it('is unchanged when it says the same', async () => {
    const { run, clock, files } = await openTestBrain();
    const first = await run(writeNote, { ...address, content });
    clock.advance(86_400_000);
    const before = files.get(first.path);
    expect(await run(writeNote, { ...address, content })).toMatchObject({
      unchanged: true,
      created: false,
      content_hash: first.content_hash,
    });
    expect(files.get(first.path)).toBe(before);
  });

  it('replaces it on request and keeps the old bytes', async () => {
    const { run } = await openTestBrain();
    const first = await run(writeNote, { ...address, content });
    const second = await run(writeNote, { ...address, content: 'new', overwrite: true });
    expect(second).toMatchObject({ replaced: true, created: false, previous_hash: first.content_hash });
    expect((await run(getNote, { hash: first.content_hash })).body).toBe(content);
  });

  it('is refused when its owner has locked it', async () => {
    const { refusal } = await openTestBrain({ 'wiki/home-lab/facts/mtu.md': '---\nlocked: true\n---\nmine' });
    expect(await refusal(writeNote, { ...address, content: 'new', overwrite: true })).toMatchObject({
      code: 'locked',
    });
  });
});

it('writes to knowledge/ without wing and hall, stamped, and without a map', async () => {
  const { run, files } = await openTestBrain();
  const answer = await run(writeNote, { filename: 'note.md', content: 'text', type: 'log' });
  expect(answer).toMatchObject({ path: 'knowledge/note.md', slug: 'note', created: true });
  expect(answer).not.toHaveProperty('index');
  expect(files.get('knowledge/note.md')).toBe(
    `---\ncreated_at: ${NOW}\ntype: log\norigin: http\nwritten_by: laptop\n---\ntext`,
  );
  expect([...files.keys()]).toEqual(['knowledge/note.md']);
});

describe('a token that may only propose', () => {
  const proposer = callerWith(['read', 'propose'], 'intern');

  it('has its Markdown links lead to reviewed notes, although its own note lies in the queue', async () => {
    const { run, files } = await openTestBrain({ 'wiki/net/facts/mtu.md': '# MTU\n', 'raw/x.md': 'x' });
    const content = '[a](wiki/net/facts/mtu.md) [b](mtu.md) [c](x.md) [d](../raw/x.md)\n';
    const { path, refs } = await run(writeNote, { ...address, content }, proposer);
    expect(files.get(path)).toMatch('[[wiki/net/facts/mtu|a]] [[wiki/net/facts/mtu|b]] c d\n');
    expect(refs.map(({ reason }) => reason)).toEqual([undefined, undefined, 'missing', 'unreviewed']);
  });

  it('writes into the queue, with wing and hall as suggestions', async () => {
    const { run, files } = await openTestBrain();
    const answer = await run(writeNote, { ...address, content: 'text' }, proposer);
    expect(answer).toMatchObject({ path: 'raw/2026-11-20-mtu.md', wing: 'home-lab', hall: 'facts' });
    expect(answer.warnings.join()).toMatch(/queue/);
    expect(files.get(answer.path)).toMatch(/^---\nwing: home-lab\nhall: facts\n[^]*written_by: intern\n/);
    expect((await run(capture, { text: 'a thought' }, proposer)).path).toBe('raw/2026-11-20-a-thought.md');
  });

  it('cannot replace a note', async () => {
    const { refusal } = await openTestBrain({ 'wiki/home-lab/facts/mtu.md': 'old' });
    expect(await refusal(writeNote, { ...address, content: 'x', overwrite: true }, proposer)).toMatchObject({
      code: 'forbidden_scope',
    });
  });
});

it('answers a dry run with what would be, and writes nothing', async () => {
  const { run, files } = await openTestBrain();
  const dry = await run(writeNote, { ...address, content: 'text', dry_run: true });
  expect(files.size).toBe(0);
  const real = await run(writeNote, { ...address, content: 'text' });
  expect(dry).toEqual(real);
});

describe('refuses, and leaves nothing behind', () => {
  const valid = { ...address, content: 'text' };
  it.each<[string, Record<string, unknown>, string]>([
    ['an unknown field', { ...valid, wings: 'x' }, 'unknown_field'],
    ['no content', { ...address }, 'missing_field'],
    ['null content', { ...address, content: null }, 'missing_field'],
    ['blank content', { ...address, content: ' \n' }, 'empty_content'],
    ['content over 1 MiB', { ...address, content: 'é'.repeat(600_000) }, 'too_large'],
    ['a hall outside the set', { ...valid, hall: 'Facts' }, 'invalid_hall'],
    ['a hall that is no string', { ...valid, hall: 7 }, 'invalid_hall'],
    ['a wing alone', { wing: 'x', content: 'text' }, 'wing_and_hall_required_together'],
    ['a hall alone', { hall: 'facts', content: 'text' }, 'wing_and_hall_required_together'],
    ['a wing that is a path', { ...valid, wing: '../etc' }, 'invalid_wing'],
    ['a slash in the name', { ...valid, slug: 'a/b' }, 'invalid_filename'],
    ['dots in the name', { ...valid, slug: 'a..b' }, 'invalid_filename'],
    ['the index as a name', { ...valid, slug: '_index' }, 'invalid_filename'],
    ['a slug that is no text', { ...valid, slug: 7 }, 'invalid_filename'],
    ['a filename that is no text', { ...valid, filename: 7 }, 'invalid_filename'],
    ['a slug that is too long', { ...valid, slug: 'x'.repeat(130) }, 'invalid_filename'],
    ['a slug that is far too long', { ...valid, slug: 'x'.repeat(600) }, 'invalid_filename'],
    ['a legacy name with a separator', { filename: '../x', content: 'text' }, 'invalid_filename'],
    [
      'an envelope value outside its set',
      { ...valid, half_life: 'eternal', claim_provenance: 'asserted' },
      'invalid_envelope',
    ],
    ['an envelope value without provenance', { ...valid, half_life: 'durable' }, 'invalid_envelope'],
    ['provenance alone', { ...valid, claim_provenance: 'asserted' }, 'invalid_envelope'],
    ['an empty envelope value', { ...valid, applies: '', claim_provenance: 'asserted' }, 'invalid_envelope'],
    [
      'a bad envelope in the content',
      { ...valid, content: '---\napplies: mars\nclaim_provenance: asserted\n---\nx' },
      'invalid_envelope',
    ],
    ['a source type outside its set', { ...valid, source_type: 'web' }, 'invalid_source_type'],
    [
      'a source type outside its set in the content',
      { ...valid, content: '---\nsource_type: web\n---\nx' },
      'invalid_source_type',
    ],
    ['front matter that would run', { ...valid, content: '---js\n{a: 1}\n---\nx' }, 'invalid_frontmatter'],
  ])('%s', async (_, input, code) => {
    const { refusal, files } = await openTestBrain();
    expect(await refusal(writeNote, input)).toMatchObject({ code });
    expect(files.size).toBe(0);
  });

  it('a caller without the scope', async () => {
    const { refusal } = await openTestBrain();
    expect(await refusal(writeNote, valid, callerWith(['read']))).toMatchObject({ code: 'forbidden_scope' });
  });
});

describe('capture', () => {
  it('has a place for everything and never collides', async () => {
    const { run } = await openTestBrain();
    const first = await run(capture, { text: 'The dog barks when the mail comes.' });
    const second = await run(capture, { text: '# The dog barks when the mail comes.\n\nStill.' });
    expect(first).toMatchObject({
      wing: 'notes',
      hall: 'facts',
      slug: 'the-dog-barks-when-the-mail-comes',
    });
    expect(second.slug).toBe('the-dog-barks-when-the-mail-comes-2');
  });

  it('keeps title, tags and source as front matter', async () => {
    const { run, files } = await openTestBrain();
    const { path } = await run(capture, {
      text: 'x',
      title: 'A: title',
      tags: ['one', 'two'],
      source: 'https://example.org',
      wing: 'web',
      hall: 'sources',
    });
    expect(path).toBe('wiki/web/sources/a-title.md');
    expect(files.get(path)).toMatch('title: "A: title"\ntags: ["one", "two"]\nsource: https://example.org\n');
  });
});

describe('the name of a note that came without one', () => {
  it.each<[string, Record<string, unknown>, string]>([
    [
      'a title beside the content',
      { content: 'text', frontmatter: { title: 'WireGuard MTU' } },
      'wireguard-mtu',
    ],
    ['a title that is a number', { content: 'text', frontmatter: { title: 1984 } }, '1984'],
    ['before a heading', { content: '# Heading', frontmatter: { title: 'Title' } }, 'title'],
    [
      "after the title of the content's own block",
      { content: '---\ntitle: Own\n---\n# Heading', frontmatter: { title: 'Title' } },
      'own',
    ],
    ['an empty title is none', { content: '# Heading', frontmatter: { title: '' } }, 'heading'],
  ])('%s', async (_, input, slug) => {
    const { run } = await openTestBrain();
    expect(await run(writeNote, { wing: 'lab', hall: 'facts', ...input })).toMatchObject({ slug });
  });

  it.each(['', '  '])('of a capture with the title %j is made from the text', async (title) => {
    const { run, files } = await openTestBrain();
    const { path } = await run(capture, { text: '# Hello\nx', title });
    expect(path).toBe('wiki/notes/facts/hello.md');
    expect(files.get(path)).not.toContain('title:');
  });
});

describe('the same again', () => {
  const sent = { wing: 'lab', hall: 'facts', filename: 'a', content: 'text' };
  it.each<[string, Record<string, unknown>, Record<string, unknown>, boolean]>([
    ['an option left out', { source_type: 'external' }, {}, true],
    ['all options left out', { source_type: 'external', type: 'note', frontmatter: { a: 1 } }, {}, true],
    ['an option that differs', { source_type: 'external' }, { source_type: 'internal' }, false],
    ['an option that the note lacks', {}, { source_type: 'external' }, false],
    ['the default as an option', {}, { source_type: 'internal' }, true],
    [
      'an option in the content that differs',
      { source_type: 'external' },
      { content: '---\nsource_type: internal\n---\ntext' },
      false,
    ],
    [
      'an empty option in the content',
      { source_type: 'external' },
      { content: '---\nsource_type:\n---\ntext' },
      true,
    ],
    [
      'an option in frontmatter that differs',
      { source_type: 'external' },
      { frontmatter: { source_type: 'internal' } },
      false,
    ],
    ['a key that differs', { frontmatter: { a: 1 } }, { frontmatter: { a: 2 } }, false],
  ])('with %s', async (_, first, again, same) => {
    const { run, refusal } = await openTestBrain();
    await run(writeNote, { ...sent, ...first });
    if (same) expect(await run(writeNote, { ...sent, ...again })).toMatchObject({ unchanged: true });
    else expect(await refusal(writeNote, { ...sent, ...again })).toMatchObject({ code: 'note_exists' });
  });
});

describe('a repeated call whose note had to step aside', () => {
  const proposer = callerWith(['read', 'propose'], 'intern');
  const unnamed = { wing: 'rt', hall: 'facts' };
  it.each([
    ['write', undefined, 'wiki/rt/facts/retry'],
    ['capture', undefined, 'wiki/rt/facts/retry'],
    ['write', proposer, 'raw/2026-11-20-retry'],
    ['capture', proposer, 'raw/2026-11-20-retry'],
  ] as const)('makes no twin: %s', async (op, caller, base) => {
    const { run, files } = await openTestBrain();
    const send = (word: string, dryRun = false) => {
      const [text, more] = [`# Retry\n\n${word}`, { ...unnamed, dry_run: dryRun }];
      return op === 'write'
        ? run(writeNote, { content: text, ...more }, caller)
        : run(capture, { text, ...more }, caller);
    };
    const first = [await send('one'), await send('two'), await send('three')];
    expect(first.map(({ path }) => path)).toEqual([`${base}.md`, `${base}-2.md`, `${base}-3.md`]);
    const before = [...files];
    for (const [index, word] of ['one', 'two', 'three'].entries()) {
      const { path, content_hash } = first[index] ?? {};
      expect(await send(word, index === 1)).toMatchObject({
        path,
        content_hash,
        unchanged: true,
        created: false,
      });
    }
    expect([...files]).toEqual(before);
    expect(await send('four')).toMatchObject({ path: `${base}-4.md`, created: true });
  });

  it('makes one when a key that it gives says something else', async () => {
    const { run } = await openTestBrain();
    const send = (text: string, tags: readonly string[]) => run(capture, { title: 'T', text, tags });
    await send('one', ['a']);
    await send('two', ['a']);
    expect(await send('two', ['b'])).toMatchObject({ slug: 't-3', created: true });
    expect(await send('two', ['a'])).toMatchObject({ slug: 't-2', unchanged: true });
    expect(await send('two', ['b'])).toMatchObject({ slug: 't-3', unchanged: true });
  });

  it('reads of the notes in its way only those that may say the same', async () => {
    const words = Array.from({ length: 40 }, (_, n) => `word${n}`);
    const { run, vault } = await openTestBrain();
    for (const word of words) await run(capture, { title: 'T', text: word });
    const read = jest.spyOn(vault, 'read');
    expect(await run(capture, { title: 'T', text: 'word30' })).toMatchObject({
      slug: 't-31',
      unchanged: true,
    });
    expect(read.mock.calls.flat().filter((path) => path.includes('/t'))).toEqual([
      'wiki/notes/facts/t.md',
      'wiki/notes/facts/t-31.md',
    ]);
  });

  it('steps aside for what cannot be read at a number too', async () => {
    const { run, vault } = await openTestBrain({ 'wiki/rt/facts/retry.md': 'other' });
    const read = vault.read.bind(vault);
    vault.read = (path) =>
      path.endsWith('-2.md') ? Promise.reject(new BrainError('unsupported_type', 'no text')) : read(path);
    vault.files.set('wiki/rt/facts/retry-2.md', '?');
    const content = '# Retry\n\none';
    expect(await run(writeNote, { ...unnamed, content })).toMatchObject({ slug: 'retry-3', created: true });
    expect(await run(writeNote, { ...unnamed, content })).toMatchObject({ slug: 'retry-3', unchanged: true });
  });

  it('makes none of calls that arrive together', async () => {
    const { run, files } = await openTestBrain({ 'wiki/rt/facts/retry.md': 'other' });
    const content = '# Retry\n\none';
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => run(writeNote, { ...unnamed, content })),
    );
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(answers.map(({ path }) => path))).toEqual(new Set(['wiki/rt/facts/retry-2.md']));
    expect([...files.keys()].filter((path) => path.includes('retry'))).toHaveLength(2);
  });
});

describe('front matter that is no YAML', () => {
  const blocks = [
    'title: Foo: the bar',
    'title: @x',
    'title: %x',
    'title: `x`',
    'title: *nope',
    'title: !!js/function x',
    'title: "a" b',
    'title: a\u0007b',
  ];
  it.each(blocks)('is kept, and whoever sends it is told: %j', async (block) => {
    const { run, files, brain } = await openTestBrain();
    const content = `---\nmood: good\n${block}\n---\nbody`;
    const sent = { wing: 'lab', hall: 'facts', slug: 'a', content };
    const sends = [
      () => run(writeNote, sent),
      () => run(updateNote, { path: 'wiki/lab/facts/a.md', content, reason: 'r' }),
      // The text that stands there keeps its mistake, whoever updates what is below it.
      () => run(updateNote, { path: 'wiki/lab/facts/a.md', content: 'new', reason: 'r' }),
      () => run(capture, { text: content }),
      () => run(writeNote, { ...sent, slug: 'b' }, callerWith(['read', 'propose'])),
    ];
    for (const send of sends) {
      const { path, warnings } = await send();
      const lines = (files.get(path) ?? '').split('\n');
      const { problem } = brain.catalog.record(vaultPath(path)) ?? {};
      expect(lines[Number(/ in line (\d+) of the note: /.exec(problem ?? '')?.[1]) - 1]).toBe(block);
      expect(warnings).toContain(problem);
    }
  });

  it('is not spoken of where there is none', async () => {
    const { run } = await openTestBrain();
    const content = '---\ntitle: "Foo: the bar"\nat: 10:30\n---\nbody';
    expect((await run(writeNote, { ...address, content })).warnings).toEqual([]);
  });
});

it.each([
  'locked: True',
  'locked: TRUE',
  'locked: "true" # mine',
  'locked: true\n<%* tp %>',
  '<%* tp %>\r\nlocked: True   # mine\r',
])('leaves a note alone that its owner has locked: %j', async (block) => {
  const path = 'wiki/lab/facts/a.md';
  const { refusal } = await openTestBrain({ [path]: `---\n${block}\n---\nmine` });
  const sent = { wing: 'lab', hall: 'facts', slug: 'a', content: 'x' };
  expect(await refusal(writeNote, { ...sent, overwrite: true })).toMatchObject({ code: 'locked' });
  expect(await refusal(updateNote, { path, content: 'x', reason: 'r' })).toMatchObject({ code: 'locked' });
});

it.each([
  'locked: false',
  'locked:',
  'unlocked: true',
  'a: "\n  locked: true\n  "',
  '<%* tp %>\nlocked: trueish',
])('replaces a note that is not locked: %j', async (block) => {
  const { run } = await openTestBrain({ 'wiki/lab/facts/a.md': `---\n${block}\n---\nmine` });
  const sent = { wing: 'lab', hall: 'facts', slug: 'a', content: 'x', overwrite: true };
  expect(await run(writeNote, sent)).toMatchObject({ replaced: true });
});

it('is found after a restart when its name speaks of a conflicted copy', async () => {
  const { run, files } = await openTestBrain();
  for (const filename of ['my conflicted copy', 'a sync-conflict', 'b.sync-conflict-x'])
    await run(writeNote, { wing: 'lab', hall: 'facts', filename, content: 'WireGuard MTU' });
  const again = await openTestBrain(Object.fromEntries(files));
  expect(await again.run(queryNotes, { query: 'wireguard' })).toMatchObject({ count: 3 });
});

it.each(['constructor', 'prototype', 'toString'])(
  'keeps a key that is named like a part of every object: %s',
  async (key) => {
    const { run } = await openTestBrain();
    const { path } = await run(writeNote, { content: 'x', frontmatter: { [key]: 'v2' } });
    const { frontmatter } = await run(getNote, { path });
    expect(Object.entries(frontmatter)).toContainEqual([key, 'v2']);
  },
);

describe('a repeated call without a name', () => {
  const at = { wing: 'rt', hall: 'facts' };
  const content = '# Retry\n\nOne.\n';

  it.each([
    ['a name that was given', { slug: 'by-hand' }],
    ['a number of its name', { slug: 'retry-2' }],
  ])('finds its note under %s', async (_, named) => {
    const { run, files } = await openTestBrain();
    const first = await run(writeNote, { ...at, ...named, content });
    const before = [...files];
    expect(await run(writeNote, { ...at, content })).toMatchObject({
      path: first.path,
      content_hash: first.content_hash,
      unchanged: true,
      created: false,
    });
    expect(await run(writeNote, { ...at, content, overwrite: true })).toMatchObject({ unchanged: true });
    expect([...files]).toEqual(before);
  });

  it('finds one without an address, one of a person, and one beside another at its name', async () => {
    const { run, files } = await openTestBrain({
      'knowledge/mine.md': content,
      'knowledge/titled.md': '---\ntitle: Own\n---\nText.\n',
      'wiki/rt/facts/retry.md': 'another',
      'wiki/rt/facts/mine.md': `---\nwing: rt\nhall: facts\nsource_type: internal\n---\n${content}`,
    });
    const before = [...files];
    const answers = [
      await run(writeNote, { content }),
      await run(writeNote, { content: 'Text.\n', frontmatter: { title: 'Own' } }),
      await run(writeNote, { ...at, content }),
    ];
    expect(answers.map(({ path, unchanged }) => [path, unchanged])).toEqual([
      ['knowledge/mine.md', true],
      ['knowledge/titled.md', true],
      ['wiki/rt/facts/mine.md', true],
    ]);
    expect([...files].filter(([path]) => !path.endsWith('_index.md'))).toEqual(before);
  });

  it.each<[string, string, object]>([
    ['in another folder', 'wiki/rt/decisions/by-hand.md', { content }],
    ['below the folder', 'wiki/rt/facts/below/by-hand.md', { content }],
    ['with another body', 'wiki/rt/facts/by-hand.md', { content: '# Retry\n\nOne!\n' }],
    ['with another title', 'wiki/rt/facts/by-hand.md', { content: '# Again\n\nOne.\n' }],
    ['without a value that is given', 'wiki/rt/facts/by-hand.md', { content, frontmatter: { a: 1 } }],
    ['for a call that names its note', 'wiki/rt/facts/by-hand.md', { content, slug: 'other' }],
  ])('is a note of its own beside one %s', async (_, path, sent) => {
    const own = `---\nwing: rt\nhall: facts\nsource_type: internal\n---\n${content}`;
    const { run } = await openTestBrain({ [path]: own });
    expect(await run(writeNote, { ...at, ...sent })).toMatchObject({ created: true });
  });

  it('tells of no note to a caller who may not read it', async () => {
    const { run } = await openTestBrain({ 'knowledge/mine.md': content });
    expect(await run(writeNote, { content }, callerWith(['propose', 'write'], 'blind'))).toMatchObject({
      path: 'knowledge/retry.md',
      created: true,
    });
  });
});

describe('line breaks in what a call gives as front matter', () => {
  const odd = {
    a: 'l1\nl2',
    list: ['x', 'y\r\nz'],
    tab: 'a\tb',
    end: 'a\n',
    bell: 'a\u0007b',
    fine: ' a b ',
  };
  const said = [
    '"a" was put on one line: its line breaks and tabs are not kept.',
    '"list" was put on one line: its line breaks and tabs are not kept.',
    '"tab" was put on one line: its line breaks and tabs are not kept.',
    '"end" was put on one line: its line breaks and tabs are not kept.',
    'Characters that front matter cannot hold were removed from "bell".',
  ];
  const reads = { a: 'l1 l2', list: ['x', 'y z'], tab: 'a b', end: 'a', bell: 'ab', fine: 'a b' };

  it('are told of by a write and by an update', async () => {
    const { run } = await openTestBrain();
    const { path, warnings } = await run(writeNote, { ...address, content: 'one', frontmatter: odd });
    expect(warnings).toEqual(said);
    expect((await run(getNote, { path })).frontmatter).toMatchObject(reads);
    const again = await run(updateNote, { path, content: 'two', reason: 'a\nb', frontmatter: odd });
    expect(again.warnings).toEqual([
      ...said,
      '"supersede_reason" was put on one line: its line breaks and tabs are not kept.',
    ]);
    expect((await run(getNote, { path })).frontmatter).toMatchObject(reads);
  });

  it('are told of by what takes pages in, and by a capture', async () => {
    const { run } = await openTestBrain();
    const page = { title: 'P', content: 'x', summary: 'in\nshort', frontmatter: odd };
    const { pages } = await run(ingestPages, { pages: [page] });
    expect(pages[0]?.warnings).toEqual([
      ...said,
      '"summary" was put on one line: its line breaks and tabs are not kept.',
    ]);
    const { warnings } = await run(capture, { text: 'x', source: 'a\nb' });
    expect(warnings).toEqual(['"source" was put on one line: its line breaks and tabs are not kept.']);
  });
});

describe('a wing that did not exist', () => {
  const files = {
    'wiki/homelab/facts/a.md': 'a',
    'wiki/household/facts/b.md': 'b',
    'wiki/Book Club/facts/c.md': 'c',
  };
  const note = { hall: 'facts', content: '# New\n\nx' };

  it('is told with the names that are near', async () => {
    const { run } = await openTestBrain(files);
    const warnings = ['"homelabs" is a new wing. The others: homelab, household, Book Club.'];
    const dry = await run(writeNote, { ...note, wing: 'homelabs', dry_run: true });
    expect(dry).toMatchObject({ new_wing: true, warnings });
    expect(await run(writeNote, { ...note, wing: 'homelabs' })).toMatchObject({ new_wing: true, warnings });
    const second = await run(writeNote, { ...note, wing: 'homelabs', slug: 'two' });
    expect(second).not.toHaveProperty('new_wing');
    expect(second.warnings).toEqual([]);
  });

  it.each(['homelab', 'Homelab', 'book-club', 'Book Club'])('is not %s', async (wing) => {
    const { run } = await openTestBrain(files);
    const answer = await run(writeNote, { ...note, wing });
    expect(answer).not.toHaveProperty('new_wing');
    expect(answer.warnings).toEqual([]);
  });

  it('is told by a capture and a promotion too', async () => {
    const { run } = await openTestBrain({ ...files, 'raw/x.md': 'x' });
    expect(await run(capture, { text: 'x', wing: 'garden', hall: 'facts' })).toMatchObject({
      new_wing: true,
      warnings: [expect.stringMatching(/^"garden" is a new wing\. /)],
    });
    expect(await run(promoteNote, { path: 'raw/x.md', wing: 'garage', hall: 'facts' })).toMatchObject({
      new_wing: true,
    });
    expect(await run(capture, { text: 'y', wing: 'garden', hall: 'facts' })).not.toHaveProperty('new_wing');
  });

  it('is no news without other wings to name, and for a note that waits', async () => {
    const { run } = await openTestBrain();
    expect((await run(writeNote, { ...note, wing: 'first' })).warnings).toEqual([]);
    const proposed = await run(writeNote, { ...note, wing: 'other' }, callerWith(['read', 'propose']));
    expect(proposed).not.toHaveProperty('new_wing');
  });

  it('shows nothing to a token that may not read', async () => {
    const { run } = await openTestBrain(files);
    const answer = await run(writeNote, { ...note, wing: 'homelabs' }, callerWith(['write']));
    expect(answer).not.toHaveProperty('new_wing');
    expect(JSON.stringify(answer)).not.toMatch(/household|Book/);
  });
});

describe('half an address of a capture', () => {
  it.each([
    [{ wing: 'Home Lab' }, { wing: 'home-lab' }, /^Only a wing is given: .* suggestion\.$/],
    [{ hall: 'decisions' }, { hall: 'decisions' }, /^Only a hall is given: .* suggestion\.$/],
  ])('%j is a suggestion that waits for review', async (half, suggested, warning) => {
    const { run, files } = await openTestBrain();
    const answer = await run(capture, { text: '# Fans\n\nToo loud.', ...half });
    expect(answer).toMatchObject({
      path: 'raw/2026-11-20-fans.md',
      ...suggested,
      created: true,
      warnings: [expect.stringMatching(warning)],
    });
    expect(answer).not.toHaveProperty('index');
    const [entry] = (await run(listPending, {})).pending;
    expect(entry?.suggested).toEqual({ ...suggested, slug: 'fans' });
    expect([...files.keys()].filter((path) => path.startsWith('wiki/'))).toEqual([]);
    expect(await run(capture, { text: '# Fans\n\nToo loud.', ...half })).toMatchObject({
      unchanged: true,
      path: 'raw/2026-11-20-fans.md',
    });
  });

  it('is revised by the token that captured it', async () => {
    const { run } = await openTestBrain();
    const { path, content_hash } = await run(capture, { text: '# Fans\n\nToo loud.', wing: 'lab' });
    await run(updateNote, { path, content: '# Fans\n\nQuiet.', reason: 'r', expected_hash: content_hash });
    expect((await run(listPending, {})).pending).toMatchObject([
      { path, suggested: { wing: 'lab' }, previous_hash: content_hash },
    ]);
  });

  it('is refused on a write', async () => {
    const { refusal } = await openTestBrain();
    for (const half of [{ wing: 'lab' }, { hall: 'facts' }])
      expect((await refusal(writeNote, { content: 'x', ...half })).code).toBe(
        'wing_and_hall_required_together',
      );
  });
});
