import { answerNotes } from '../../../src/core/answer/operation';
import { getNote } from '../../../src/core/notes/get';
import { history } from '../../../src/core/notes/history';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { gateReport } from '../../../src/core/review/gate-report';
import { listPending } from '../../../src/core/review/pending';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { unpromoteNote } from '../../../src/core/review/return';
import { queryNotes } from '../../../src/core/search/query';
import { pieceSteps, textOf } from '../../../src/core/embeddings/pieces';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { finish } from '../../../src/core/base/steps';
import { openTestBrain, person } from '../../support/test-brain';

const SAYS = 'The quokka budget is 4711 euro';

/** What stands between the first two rules of a note and is no front matter. */
const OPENINGS: readonly (readonly [kind: string, block: string])[] = [
  ['prose', `\n${SAYS}.\n\n`],
  ['prose without blank lines', `${SAYS}.\n`],
  ['prose that continues a sentence with a colon', `Note: this is\nnot a property. ${SAYS}\n`],
  ['a list', `- ${SAYS}\n- two\n`],
  ['a numbered list', `1. ${SAYS}\n2. two\n`],
  ['a table', `| What | How |\n| --- | --- |\n| ${SAYS} | yes |\n`],
  ['a quote', `> ${SAYS}\n`],
  ['a fence', `\`\`\`\n${SAYS}\n\`\`\`\n`],
  ['a heading and prose', `# Plan\n${SAYS}\n`],
  ['emphasis', `**Owner:** x, ${SAYS}\n`],
  ['a date', `2026-11-20\n${SAYS}\n`],
  ['a wikilink', `[[wiki/net/facts/mtu]] ${SAYS}\n`],
  ['one bad line beside a title', `title: Plan\n${SAYS}\n`],
  ['a map in brackets that is no JSON', `{ title: "${SAYS}" }\n`],
  ['JSON that is cut off', `{ "title": "${SAYS}",\n`],
  ['a list of JSON', `["${SAYS}"]\n`],
  ['an anchor on the first key', `&a title: ${SAYS}\nb: c\n`],
  ['a tag on the first key', `!!str title: ${SAYS}\n`],
  ['an escape in a key', `"ti\\u0074le": ${SAYS}\n`],
  ['a question mark', `? title\n: ${SAYS}\n`],
  ['a quotation mark that is never closed', `title: "${SAYS}\nother: x\n`],
  ['a tab', `title: x\n\tkey: ${SAYS}\n`],
  ['too much', `title: ${SAYS}\nlong: ${'x '.repeat(40_000)}\n`],
  ['too deep', `title: ${SAYS}\ndeep: ${'['.repeat(100)}${']'.repeat(100)}\n`],
  ['too many blank lines', `title: ${SAYS}${'\n'.repeat(300)}a: b\n`],
  ['CRLF', `\r\n${SAYS}.\r\n\r\n`],
];

describe('what stands between two rules and is no front matter', () => {
  it.each(OPENINGS)('is read, found, shown, answered and embedded: %s', async (_kind, block) => {
    const eol = block.includes('\r') ? '\r\n' : '\n';
    const text = `---${eol}${block}---${eol}${eol}more [[wiki/net/facts/mtu]]${eol}`;
    const files = {
      'wiki/net/facts/mtu.md': '# MTU\n',
      'knowledge/plan.md': text,
      'raw/plan.md': text,
    };
    const { run, refusal, brain, files: disk } = await openTestBrain(files);
    const found = await run(queryNotes, { query: 'quokka budget' });
    expect(found.results.map(({ path }) => path)).toContain('knowledge/plan.md');
    const read = await run(getNote, { path: 'knowledge/plan.md', max_chars: 200_000 });
    expect(read).toMatchObject({ body: text, frontmatter: {}, outgoing: ['wiki/net/facts/mtu.md'] });
    expect(await run(history, { hash: read.content_hash })).toMatchObject({ body: text });
    expect(brain.catalog.record(vaultPath('knowledge/plan.md'))?.excerpt).not.toBe('');
    const { pending } = await run(listPending);
    expect(pending[0]?.similar.map(({ path }) => path)).toContain('knowledge/plan.md');
    const pieces = finish(pieceSteps(vaultPath('knowledge/plan.md'), text))
      .map(textOf)
      .join('\n');
    if (!block.includes('```')) expect(pieces).toMatch(/quokka budget/i);
    expect(JSON.stringify(await run(answerNotes, { query: 'quokka budget' }))).toContain('4711');
    // Every reader says so, and no edit guesses what was meant.
    expect(read.warnings).toEqual([expect.stringMatching(/^The front matter has a mistake in line \d+/)]);
    expect(pending[0]?.warnings).toEqual(read.warnings);
    expect((await run(gateReport, { path: 'raw/plan.md' })).warnings).toEqual(
      expect.arrayContaining(read.warnings ?? []),
    );
    const refused = { code: 'invalid_frontmatter' };
    const update = { path: 'knowledge/plan.md', content: 'new', reason: 'test' };
    expect(await refusal(updateNote, update)).toMatchObject(refused);
    const promote = { path: 'raw/plan.md', wing: 'net', hall: 'facts', slug: 'plan' };
    expect(await refusal(promoteNote, promote)).toMatchObject(refused);
    expect(await refusal(writeNote, { content: text })).toMatchObject(refused);
    expect(disk.get('knowledge/plan.md')).toBe(text);
  });

  it.each([
    ['a heading', `\n# ${SAYS}\n\n`],
    ['a tag', `#finance ${SAYS}\n`],
    ['comments and an empty map', `# ${SAYS}\n{}\n`],
  ])('is front matter with comments that are found, and no title: %s', async (_kind, block) => {
    const text = `---\n${block}---\nmore\n`;
    const files = { 'knowledge/plan.md': text, 'raw/plan.md': text, 'Own/plan.md': text };
    const { run, files: disk } = await openTestBrain(files);
    const found = await run(queryNotes, { query: 'quokka budget' });
    expect(found.results.map(({ path }) => path)).toContain('knowledge/plan.md');
    const read = await run(getNote, { path: 'knowledge/plan.md' });
    expect(read).toMatchObject({ title: 'plan', body: 'more\n', frontmatter: {} });
    expect(read).not.toHaveProperty('warnings');
    const made = await run(promoteNote, { path: 'raw/plan.md', wing: 'net', hall: 'facts', slug: 'plan' });
    expect(disk.get(made.path)).toContain(`# ${SAYS}\n`.slice(2));
    expect(await run(getNote, { path: made.path })).toMatchObject({ body: 'more\n' });
    const { path } = await run(adoptNote, { path: 'Own/plan.md', wing: 'own', hall: 'facts' }, person);
    await run(unpromoteNote, { path }, person);
    expect(disk.get('Own/plan.md')).toBe(text);
  });

  it('is front matter when it is a map, empty, or blank, and text when it is never closed', async () => {
    const { run } = await openTestBrain({
      'knowledge/a.md': '---\ntitle: A\n---\nbody',
      'knowledge/b.md': '---\n---\nbody',
      'knowledge/c.md': '---\n\n---\nbody',
      'knowledge/d.md': '---\ntitle: A\nbody',
    });
    for (const name of ['a', 'b', 'c'])
      expect((await run(getNote, { path: `knowledge/${name}.md` })).body).toBe('body');
    expect(await run(getNote, { path: 'knowledge/d.md' })).toMatchObject({ body: '---\ntitle: A\nbody' });
  });
});

describe('null in front matter', () => {
  const NULLS = ['null', 'Null', 'NULL', '~', '', ' # nothing', '!!null null'];

  it.each(NULLS)('is no value for any property: %j', async (none) => {
    const keys = ['title', 'aliases', 'tags', 'wing', 'hall', 'source', 'sources', 'created_at', 'created'];
    const stamps = ['origin', 'written_by', 'updated_at', 'promoted_at', 'half_life', 'applies', 'tunnels'];
    const claims = ['claim_provenance', 'source_type', 'type', 'description', 'supersedes', 'alias'];
    const block = [...keys, ...stamps, ...claims].map((key) => `${key}: ${none}\n`).join('');
    const { run, brain } = await openTestBrain({
      'wiki/net/facts/null.md': '# Null\n',
      'raw/2026-11-02-quokka.md': `---\n${block}---\nOf quokkas`,
    });
    const read = await run(getNote, { path: 'raw/2026-11-02-quokka.md' });
    expect(read).toMatchObject({ title: 'quokka', stale: false });
    for (const key of ['wing', 'hall', 'origin', 'written_by', 'updated_at', 'supersedes', 'warnings'])
      expect(read).not.toHaveProperty(key);
    const [entry] = (await run(listPending)).pending;
    expect(entry).toMatchObject({ title: 'quokka', sources: [], warnings: [], stale: false });
    expect(entry?.created_at.slice(0, 10)).toBe('2026-11-02');
    expect(entry).not.toHaveProperty('source');
    expect(entry?.suggested).toEqual({ slug: 'quokka' });
    expect(brain.catalog.record(vaultPath('raw/2026-11-02-quokka.md'))).toMatchObject({
      aliases: [],
      tags: [],
      tunnels: [],
    });
    const made = await run(promoteNote, { path: 'raw/2026-11-02-quokka.md', wing: 'zoo', hall: 'facts' });
    expect(made).toMatchObject({ tunnels: [], warnings: [] });
    const promoted = await run(getNote, { path: made.path });
    expect(promoted).toMatchObject({ title: 'quokka', origin: 'http', written_by: 'laptop' });
    expect(promoted.frontmatter).toMatchObject({ source_type: 'internal' });
    expect(promoted.frontmatter.created_at).toMatch(/^2026-11-02T/);
  });

  it.each([
    ['a list in brackets', 'aliases: [null, ~, "null"]\ntags: [null, a]\n'],
    ['a list below', 'aliases:\n- null\n-\n- "null"\ntags:\n  - ~\n  - a\n'],
  ])('is no element of %s, and in quotes it is a word', async (_name, block) => {
    const { brain } = await openTestBrain({ 'knowledge/a.md': `---\n${block}title: "null"\n---\nx` });
    expect(brain.catalog.record(vaultPath('knowledge/a.md'))).toMatchObject({
      title: 'null',
      aliases: ['null'],
      tags: ['a'],
    });
  });

  it('is absent for the claim envelope of a write, and leaves room for what the call gives', async () => {
    const { run, refusal } = await openTestBrain();
    const content = '---\nhalf_life: null\nclaim_provenance: ~\napplies:\ntitle: null\n---\n# T\n\nx';
    const plain = await run(writeNote, { wing: 'net', hall: 'facts', slug: 'a', content });
    expect(plain.warnings).toEqual([]);
    const claim = { half_life: 'durable', claim_provenance: 'asserted', frontmatter: { title: 'Given' } };
    const given = await run(writeNote, { wing: 'net', hall: 'facts', slug: 'b', content, ...claim });
    expect(given.warnings).toEqual([]);
    expect((await run(getNote, { path: given.path })).frontmatter).toMatchObject({
      half_life: 'durable',
      claim_provenance: 'asserted',
      title: 'Given',
    });
    const quoted = '---\nhalf_life: "null"\nclaim_provenance: asserted\n---\nx';
    expect(await refusal(writeNote, { content: quoted })).toMatchObject({ code: 'invalid_envelope' });
  });

  it('is a key like any other where it stands before a colon', async () => {
    const { run } = await openTestBrain({ 'knowledge/a.md': '---\n~: x\nnull: y\nNULL: z\n---\nb' });
    const { frontmatter, body } = await run(getNote, { path: 'knowledge/a.md' });
    expect(frontmatter).toEqual({ '~': 'x', null: 'y', NULL: 'z' });
    expect(body).toBe('b');
  });
});

describe('front matter that other readers of YAML refuse', () => {
  it.each([
    ['a colon in a value', 'note: a: b\n', /line \d+ of the note: a value that holds a colon/],
    [
      'a key that stands twice',
      'note: a\nnote: b\n',
      /its key stands above already|"note" stood more than once/,
    ],
  ])('is told by write, update, promote, ingest, pending and read alike: %s', async (_name, block, told) => {
    const content = `---\n${block}---\n# Quokka\n\nOf quokkas.\n`;
    const { run } = await openTestBrain({ 'raw/quokka.md': content, 'knowledge/old.md': '# Old\n' });
    const warned = expect.arrayContaining([expect.stringMatching(told)]);
    expect((await run(listPending)).pending[0]?.warnings).toEqual(warned);
    expect((await run(writeNote, { content, filename: 'new' })).warnings).toEqual(warned);
    const update = { path: 'knowledge/old.md', content, reason: 'test' };
    expect((await run(updateNote, update)).warnings).toEqual(warned);
    const promote = { path: 'raw/quokka.md', wing: 'zoo', hall: 'facts' };
    const { path, warnings } = await run(promoteNote, promote);
    expect(warnings).toEqual(warned);
    expect((await run(getNote, { path })).warnings).toEqual(warned);
  });
});
