import * as fc from 'fast-check';
import { linksIn } from '../../support/links-in';
import { promoteNote } from '../../../src/core/review/promote';
import { openTestBrain, person } from '../../support/test-brain';

const RAW = 'raw/2026-11-01-dns.md';
const NOTES = {
  'wiki/net/facts/unbound.md': '# Unbound\n\n## Setup\n',
  'wiki/lab/facts/unbound.md': '# Unbound\n',
  'wiki/net/facts/mtu.md': '# MTU\n',
  'knowledge/old.md': '# Old\n',
  'raw/other.md': '# Other\n',
  'wiki/lab/plan.png': 'png',
};
const promotion = { path: RAW, wing: 'home', hall: 'facts' };
const promoted = 'wiki/home/facts/dns.md';

it.each([
  ['[[unbound]]', { unbound: 'wiki/lab/facts/unbound.md' }, '[[wiki/lab/facts/unbound|Unbound]]'],
  [
    '[[Unbound#Setup|how]]',
    { Unbound: '/brain/wiki/net/facts/unbound' },
    '[[wiki/net/facts/unbound#Setup|how]]',
  ],
  ['[[DNS cache]]', { 'DNS cache': 'knowledge/old.md' }, '[[knowledge/old|DNS cache]]'],
  ['[that](unbound.md)', { 'unbound.md': 'wiki/lab/facts/unbound' }, '[[wiki/lab/facts/unbound|that]]'],
  ['![[unbound]]', { unbound: 'wiki/lab/facts/unbound' }, '![[wiki/lab/facts/unbound]]'],
  [
    '[[unbound]] `[[unbound]]`',
    { unbound: 'wiki/lab/facts/unbound' },
    '[[wiki/lab/facts/unbound|Unbound]] `[[unbound]]`',
  ],
])('%s with %j becomes %s', async (body, links, wanted) => {
  for (const caller of [person, undefined]) {
    const { run, files } = await openTestBrain({ ...NOTES, [RAW]: `${body}\n` });
    const { refs } = await run(promoteNote, { ...promotion, links }, caller);
    expect(files.get(promoted)?.split('---\n').at(-1)).toBe(`${wanted}\n`);
    expect(refs.every(({ reason }) => reason === undefined)).toBe(true);
  }
});

it('leads to a note of the owner, which candidates of an ambiguous link may be', async () => {
  const plan = 'Projects/Greenhouse plan.md';
  const { run, files } = await openTestBrain({
    ...NOTES,
    [plan]: 'A drip line.\n',
    'Archive/Greenhouse plan.md': 'A hose.\n',
    [RAW]: 'See [[Greenhouse plan]].\n',
  });
  const links = { 'Greenhouse plan': plan };
  const { refs } = await run(promoteNote, { ...promotion, links }, person);
  expect(refs).toMatchObject([{ resolved: plan }]);
  expect(files.get(promoted)).toContain('See [[Projects/Greenhouse plan|Greenhouse plan]].');
  expect(files.get(plan)).toBe('A drip line.\n');
});

it('refuses a note of the owner that is left out', async () => {
  const files = { ...NOTES, 'Private/plan.md': 'Mine.\n', [RAW]: 'See [[plan]].\n' };
  const { refusal, ...brain } = await openTestBrain(files, { exclude: ['Private'] });
  const links = { plan: 'Private/plan.md' };
  expect(await refusal(promoteNote, { ...promotion, links }, person)).toMatchObject({
    code: 'invalid_field',
    details: { field: 'links' },
  });
  expect(brain.files.has(RAW)).toBe(true);
});

it('leaves the links for which nothing was chosen as they are', async () => {
  const { run, files } = await openTestBrain({ ...NOTES, [RAW]: '[[unbound]] [[nothing]] [[MTU]]\n' });
  const links = { unbound: 'wiki/net/facts/unbound.md' };
  const { refs } = await run(promoteNote, { ...promotion, links }, person);
  expect(files.get(promoted)).toContain(
    '[[wiki/net/facts/unbound|Unbound]] [[nothing]] [[wiki/net/facts/mtu|MTU]]',
  );
  expect(refs.map(({ target, reason }) => [target, reason])).toEqual([
    ['unbound', undefined],
    ['nothing', 'missing'],
    ['MTU', undefined],
  ]);
});

it('shows with `dry_run` what would come of it', async () => {
  const { run, files } = await openTestBrain({ ...NOTES, [RAW]: '[[unbound]]\n' });
  const links = { unbound: 'wiki/net/facts/unbound.md' };
  const dry = await run(promoteNote, { ...promotion, links, dry_run: true });
  expect(files.has(promoted)).toBe(false);
  const { refs, content_hash } = await run(promoteNote, { ...promotion, links });
  expect(dry).toMatchObject({ refs, content_hash });
});

it.each([
  ['a target that no link has', { ghost: 'wiki/net/facts/mtu.md' }, 'invalid_field'],
  ['a link that leads somewhere by itself', { MTU: 'knowledge/old.md' }, 'invalid_field'],
  ['a link into the queue', { 'raw/other': 'knowledge/old.md' }, 'invalid_field'],
  ['a note that is not there', { unbound: 'wiki/net/facts/gone.md' }, 'invalid_field'],
  ['a note of the queue', { unbound: 'raw/other.md' }, 'invalid_field'],
  ['a file that is no note', { unbound: 'wiki/lab/plan.png' }, 'invalid_field'],
  ['a map', { unbound: 'wiki/lab/_index.md' }, 'invalid_field'],
  ['a path outside the vault', { unbound: '../x.md' }, 'path_not_allowed'],
  ['a choice that is no path', { unbound: 1 }, 'invalid_field'],
  [
    'too many choices',
    Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`t${n}`, 'knowledge/old.md'])),
    'invalid_field',
  ],
])('refuses %s, and nothing has moved', async (_, links, code) => {
  const { refusal } = await openTestBrain({ ...NOTES, [RAW]: '[[unbound]] [[MTU]] [[raw/other]]\n' });
  expect((await refusal(promoteNote, { ...promotion, links })).code).toBe(code);
});

it('leaves a choice no room to lead anywhere but to the note that was chosen', async () => {
  const part = fc.constantFrom(
    '[[unbound]]',
    '![[unbound]]',
    '[a](unbound)',
    ' text ',
    '`[[unbound]]`',
    '\n\n',
    '| ',
    '[[x]]',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 12 }), async (parts) => {
      const body = parts.join('');
      const { run, files } = await openTestBrain({ ...NOTES, [RAW]: `x ${body}\n` });
      const open = linksIn(`x ${body}\n`).filter(({ target }) => target === 'unbound');
      fc.pre(open.length > 0);
      const links = { unbound: 'wiki/lab/facts/unbound.md' };
      await run(promoteNote, { ...promotion, links }, person);
      const targets = linksIn(files.get(promoted)?.split('---\n').at(-1) ?? '');
      expect(targets.filter(({ target }) => target === 'wiki/lab/facts/unbound')).toHaveLength(open.length);
      expect(targets.filter(({ target }) => target === 'unbound')).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
