import * as fc from 'fast-check';
import { moveNote } from '../../../src/core/review/move';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { restoreNote, unpromoteNote } from '../../../src/core/review/return';
import { undoWriter } from '../../../src/core/undo/undo';
import { BrainError } from '../../../src/core/base/errors';
import { openTestBrain, person, type TestBrain } from '../../support/test-brain';

const RAW = 'raw/2026-11-01-dns.md';
const PLACE = { wing: 'net', hall: 'facts' };

/** Pieces of notes that editors and programs leave behind. */
const KEYS = [
  'wing: lab',
  'hall: sources',
  'title: "DNS"',
  'title: again',
  'tags: [a, b]',
  'tags:\n- a\n-\tb',
  'x:\n\ty: 1',
  'note: >\n  folded',
  '# comment',
  'created_at: 2026-05-05T00:00:00Z',
  'written_by: laptop',
  'origin: mcp',
  'promoted_at: 2026-01-01T00:00:00Z',
  'reject_reason: old',
  'rejected_by: me',
  'see: "[[raw/2026-11-01-dns]]"',
  'locked: true',
  'half_life: eternal',
  'a: [',
  'z: ~',
  'title: Tips: part 2',
];
const LINES = [
  '# DNS',
  'See [[raw/2026-11-01-dns|me]].',
  '![a](http://x/a)',
  '<script>x</script>',
  'zero\u200bwidth',
  '---',
  'more: 1',
  '',
  '  ',
  'trailing  ',
  '\ttab',
];
const oddText = fc
  .record({
    bom: fc.boolean(),
    keys: fc.option(fc.array(fc.constantFrom(...KEYS), { maxLength: 8 })),
    lines: fc.array(fc.constantFrom(...LINES), { minLength: 1, maxLength: 8 }),
    crlf: fc.boolean(),
    last: fc.constantFrom('', '\n', '\n\n', ' '),
  })
  .map(({ bom, keys, lines, crlf, last }) => {
    const block = keys === null ? [] : ['---', ...keys, '---'];
    const text = [...block, ...lines].join('\n') + last;
    return (bom ? '\ufeff' : '') + (crlf ? text.replace(/\n/g, '\r\n') : text);
  });

/** A decision and the act that takes it back; each returns the path of the note after it. */
const WAYS = {
  promotion: {
    from: RAW,
    decide: async ({ run }: TestBrain) => (await run(promoteNote, { path: RAW, ...PLACE }, person)).path,
    back: async ({ run }: TestBrain, path: string) => run(unpromoteNote, { path }, person),
  },
  rejection: {
    from: RAW,
    decide: async ({ run }: TestBrain) =>
      (await run(rejectNote, { path: RAW, reason: 'no' }, person)).rejected_path,
    back: async ({ run }: TestBrain, path: string) => run(restoreNote, { path }, person),
  },
  adoption: {
    from: 'Notes/DNS.md',
    decide: async ({ run }: TestBrain) =>
      (await run(adoptNote, { path: 'Notes/DNS.md', ...PLACE }, person)).path,
    back: async ({ run }: TestBrain, path: string) => run(unpromoteNote, { path }, person),
  },
};

/** Decides; null when the service refuses, as it does for front matter that it cannot edit. */
async function decided(decide: () => Promise<string>): Promise<string | null> {
  try {
    return await decide();
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_frontmatter') return null;
    throw error;
  }
}

/** Opens the vault again, as after a restart. */
async function reopened(opened: TestBrain): Promise<TestBrain> {
  const again = await openTestBrain(Object.fromEntries(opened.files));
  for (const [path, text] of opened.state.files) again.state.files.set(path, text);
  return again;
}

describe.each(Object.entries(WAYS))('undo of %s', (_, { from, decide, back }) => {
  it('gives any text back byte for byte, also after a restart and a second time', async () => {
    await fc.assert(
      fc.asyncProperty(oddText, fc.boolean(), async (text, restart) => {
        let opened = await openTestBrain({ [from]: text });
        for (let time = 0; time < 2; time += 1) {
          const path = await decided(() => decide(opened));
          fc.pre(path !== null);
          if (restart) opened = await reopened(opened);
          expect(await back(opened, path ?? '')).toEqual({ path: from, from: path });
          expect(opened.files.get(from)).toBe(text);
          expect(opened.files.has(path ?? '')).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('has the note stand at its new place before it leaves the old one, both ways', async () => {
    const opened = await openTestBrain({ [from]: '# DNS\n' });
    const calls: string[] = [];
    opened.vault.intercept = (call) => {
      if (call === 'create' || call === 'remove') calls.push(call);
    };
    const path = await decide(opened);
    await back(opened, path);
    expect(calls.filter((call, index) => call !== calls[index - 1])).toEqual([
      'create',
      'remove',
      'create',
      'remove',
    ]);
  });

  it('says what it does when somebody has changed the note since', async () => {
    const opened = await openTestBrain({ [from]: '---\nmood: good\n---\n# DNS\n\nOne.\n' });
    const path = await decide(opened);
    opened.vault.outside(path, (opened.files.get(path) ?? '').replace('One.', 'Two.'));
    const { warnings } = await back(opened, path);
    expect(warnings).toEqual([
      expect.stringMatching(/^\S+ was changed since it was \w+: it goes back with what it says now\. /),
    ]);
    expect(opened.files.get(from)).toMatch(/mood: good\n[^]*Two\.\n$/);
    expect(opened.files.get(from)).not.toMatch(/promoted_|rejected_/);
  });

  it('says so when the former text is lost', async () => {
    const opened = await openTestBrain({ [from]: '# DNS\n\nOne.\n' });
    const path = await decide(opened);
    for (const file of [...opened.state.files.keys()])
      if (file.startsWith('history/')) opened.state.files.delete(file);
    const { warnings } = await back(opened, path);
    expect(warnings).toHaveLength(1);
    expect(opened.files.get(from)).toMatch(/One\.\n$/);
  });
});

it('gives a text back byte for byte when everything that a person did is undone', async () => {
  const text = '\ufeff---\r\ntitle: a\r\ntitle: b\r\n---\r\nNo end';
  const opened = await openTestBrain({ [RAW]: text, 'raw/2026-11-02-b.md': text });
  const { run, files } = opened;
  await run(promoteNote, { path: RAW, ...PLACE }, person);
  await run(rejectNote, { path: 'raw/2026-11-02-b.md' }, person);
  const ask = { by: 'human:me', since: '1d' };
  const { plan } = await run(undoWriter, { ...ask, dry_run: true }, person);
  await run(undoWriter, { ...ask, plan }, person);
  expect([files.get(RAW), files.get('raw/2026-11-02-b.md')]).toEqual([text, text]);
});

it.each(['promotion', 'adoption'] as const)('gives a text back after a %s and a move', async (way) => {
  const { from, decide, back } = WAYS[way];
  const text = '\ufeff---\r\ntitle: a\r\n---\r\n# DNS\r\n\r\nOne.';
  const opened = await openTestBrain({ [from]: text });
  const path = await decide(opened);
  const { path: moved } = await opened.run(moveNote, { path, slug: 'names', wing: 'lab' }, person);
  const { path: again } = await opened.run(moveNote, { path: moved, slug: 'words' }, person);
  expect(await back(opened, again)).toEqual({ path: from, from: again });
  expect([opened.files.get(from), opened.files.has(again)]).toEqual([text, false]);
});

it('says so when a note was changed between its promotion and a move', async () => {
  const opened = await openTestBrain({ [RAW]: '# DNS\n\nOne.\n' });
  const path = await WAYS.promotion.decide(opened);
  opened.vault.outside(path, (opened.files.get(path) ?? '').replace('One.', 'Two.'));
  const { path: moved } = await opened.run(moveNote, { path, slug: 'names' }, person);
  const { warnings } = await WAYS.promotion.back(opened, moved);
  expect(warnings).toEqual([expect.stringMatching(/was changed since it was promoted/)]);
  expect(opened.files.get(RAW)).toMatch(/Two\.\n$/);
});
