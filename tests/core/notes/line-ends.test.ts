import { backfillRefs } from '../../../src/core/ingest/backfill-refs';
import { updateNote } from '../../../src/core/notes/update';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { restoreNote, unpromoteNote } from '../../../src/core/review/return';
import { openTestBrain } from '../../support/test-brain';

const BARE_FEED = /(?<!\r)\n/;
const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
const path = 'wiki/net/facts/dns.md';
const update = async (current: string, content: string, more: object = {}): Promise<string> => {
  const { run, files } = await openTestBrain({ [path]: current });
  await run(updateNote, { path, content, reason: 'why', ...more });
  return files.get(path) ?? '';
};
const bodyOf = (text: string): string => text.slice(text.lastIndexOf('---') + 3).replace(/^\r?\n/, '');

describe('an update of a note in CRLF', () => {
  it.each([
    ['block and body', crlf('---\nx: 1\n---\n# DNS\n\nOld.\n')],
    ['no block', crlf('# DNS\n\nOld.\n')],
    ['a body of one line', crlf('---\nx: 1\n---\nOld.')],
    ['no body', crlf('---\nx: 1\n---\n')],
    ['a BOM', `\uFEFF${crlf('---\nx: 1\n---\n# DNS\n')}`],
  ])('keeps it everywhere, with %s', async (_, current) => {
    const content = '---\nlist:\n  - a\n  - b\ntext: |\n  one\n  two\n---\n# DNS\n\n```\ncode\n```\n\nNew.\n';
    const text = await update(current, content, { frontmatter: { mood: 'good' } });
    expect(text).not.toMatch(BARE_FEED);
    expect(text).toContain('supersede_reason: why\r\n');
    expect(text).toContain('list:\r\n  - a\r\n  - b\r\ntext: |\r\n  one\r\n  two\r\n');
    expect(bodyOf(text)).toBe(crlf('# DNS\n\n```\ncode\n```\n\nNew.\n'));
  });

  it('takes a body in CRLF, and a mixed one, as one in CRLF', async () => {
    expect(bodyOf(await update('a\r\nb\r\n', 'new\r\nlines\r\n'))).toBe('new\r\nlines\r\n');
    expect(bodyOf(await update('a\r\nb\r\n', 'new\r\nlines\n'))).toBe('new\r\nlines\r\n');
  });
});

describe('an update of any other note leaves the body as it is sent', () => {
  it.each([
    ['LF', '---\nx: 1\n---\nOld\nlines.\n', 'new\r\nlines\r\n'],
    ['a mixed body', '---\r\nx: 1\r\n---\r\nOld\r\nlines.\n', 'new\nlines\n'],
    ['a block in CRLF and a body in LF', '---\r\nx: 1\r\n---\r\nOld\nlines.\n', 'new\nlines\n'],
    ['no line end', 'Old.', 'new\nlines\r\n'],
  ])('%s', async (_, current, content) => {
    expect(bodyOf(await update(current, content))).toBe(content);
  });

  it('and the lines of the block as they are', async () => {
    const text = await update('---\r\nx: 1\r\n---\r\nOld\nlines.\n', 'new\n');
    expect(text.slice(0, text.lastIndexOf('---'))).not.toMatch(BARE_FEED);
  });
});

it('what the review and the sources add to notes in CRLF ends in CRLF too', async () => {
  const raw = 'raw/2026-11-01-dns.md';
  const { run, files } = await openTestBrain({
    [raw]: crlf('---\nx: 1\n---\n# DNS\n\nText.\n'),
    'raw/2026-11-01-bad.md': crlf('# Bad\n\nText.\n'),
    'wiki/net/facts/links.md': crlf('# Links\n\nTo [[2026-11-01-dns]].\n\nSource: https://e.org/1\n'),
    'wiki/net/facts/told.md': crlf('---\nurl: https://e.org/talk\n---\n# Told\n'),
  });
  const expectCrlf = (...names: string[]) => {
    for (const each of names) {
      expect(files.get(each)).toMatch(/\r\n/);
      expect(files.get(each)).not.toMatch(BARE_FEED);
    }
  };
  const { path: to, relinked } = await run(promoteNote, { path: raw, wing: 'net', hall: 'facts' });
  expect(relinked).toBe(1);
  expectCrlf(to, 'wiki/net/facts/links.md');
  expect(files.get(to)).toMatch(/promoted_at: .+\r\n/);
  const { path: back } = await run(unpromoteNote, { path: to });
  expectCrlf(back, 'wiki/net/facts/links.md');
  const { rejected_path } = await run(rejectNote, { path: 'raw/2026-11-01-bad.md', reason: 'no' });
  expectCrlf(rejected_path);
  expectCrlf((await run(restoreNote, { path: rejected_path })).path);
  await run(backfillRefs, {});
  expectCrlf('wiki/net/facts/links.md', 'wiki/net/facts/told.md');
  expect(files.get('wiki/net/facts/told.md')).toMatch(/sources: .+\r\n/);
});
