import * as fc from 'fast-check';
import { loggedArgs, parseAuditLine } from '../../../src/core/audit/line';
import { sha256 } from '../../../src/core/base/hash';
import { createToken } from '../../../src/core/access/tokens';

/** As a tool has them that takes all of these. */
const FIELDS = [
  'query',
  'limit',
  'include_raw',
  'hall',
  'content',
  'text',
  'tags',
  'frontmatter',
  'reason',
  'title',
  'source',
  'path',
  'slug',
];
const log = (args: Readonly<Record<string, unknown>>) => loggedArgs(args, FIELDS);

const digest = (text: string) => ({ chars: text.length, sha256: sha256(text) });
const long = 'x'.repeat(81);

describe('the arguments in the log', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'keeps short scalars',
      { query: 'mtu', limit: 5, include_raw: true, hall: null },
      { query: 'mtu', limit: 5, include_raw: true, hall: null },
    ],
    ['keeps 80 characters', { query: long.slice(1) }, { query: long.slice(1) }],
    ['digests 81 characters', { query: long }, { query: digest(long) }],
    [
      'digests note text however short',
      { content: 'hi', text: '' },
      { content: digest('hi'), text: digest('') },
    ],
    [
      'digests lists and objects by their JSON',
      { tags: ['a'], frontmatter: {} },
      { tags: digest('["a"]'), frontmatter: digest('{}') },
    ],
    [
      'counts bytes of UTF-8 in the hash, code units in the length',
      { content: 'ß🙂' },
      { content: digest('ß🙂') },
    ],
  ])('%s', (_, args, expected) => {
    expect(log(args)).toEqual(expected);
  });

  const token = 'T0zmqcp9bJMnFejOYFivVElOUUVEj8BKeAO8I3nWois';
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['a token of ours', { query: `why is ${token} refused` }, { query: 'why is [redacted] refused' }],
    ['a token as the name of a field', { [token]: 1 }, { '[redacted]': 1 }],
    ['a header', { reason: 'sent Bearer abcdefghijklmnop0' }, { reason: 'sent Bearer [redacted]' }],
    ['a setting', { title: 'password=hunter2;x' }, { title: 'password=[redacted];x' }],
    ['an address', { source: 'https://me:hunter2@host/x' }, { source: 'https://[redacted]@host/x' }],
    ['a field made for one', { auth_token: 'abc' }, { auth_token: digest('abc') }],
    ['a number in a field made for one', { Password: 1234 }, { Password: digest('1234') }],
    [
      'and nothing that only speaks of one',
      { query: 'basic networking', path: `wiki/net/facts/${'a'.repeat(43)}.md`, slug: 'token-bucket' },
      { query: 'basic networking', path: `wiki/net/facts/${'a'.repeat(43)}.md`, slug: 'token-bucket' },
    ],
  ])('hides %s', (_, args, expected) => {
    expect(log(args)).toEqual(expected);
  });

  it('hides every token of ours wherever it stands', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[ a-z/:"=]{0,15}$/),
        fc.constantFrom(' ', '"', '/', ''),
        (before, after) => {
          const made = createToken();
          expect(JSON.stringify(log({ query: `${before} ${made}${after}` }))).not.toContain(made);
        },
      ),
    );
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['text', { body: 'secret text' }, { body: digest('secret text') }],
    ['no text at all', { body: '' }, { body: digest('') }],
    [
      'text in an object or a list',
      { note: { a: 'b' }, lines: ['c'] },
      { note: digest('{"a":"b"}'), lines: digest('["c"]') },
    ],
    ['and shows what can hold none', { flag: true, n: 7, none: null }, { flag: true, n: 7, none: null }],
  ])('hides in a field that the tool does not have: %s', (_, args, expected) => {
    expect(log(args)).toEqual(expected);
  });

  it('lets no text through that stands in a field of another name', () => {
    const said = fc.stringMatching(/^[a-z]{12,80}$/);
    fc.assert(
      fc.property(
        fc.string().filter((name) => !FIELDS.includes(name)),
        said,
        (name, text) => {
          fc.pre(!name.includes(text));
          for (const value of [text, [text], { a: { b: text } }])
            expect(JSON.stringify(log({ [name]: value }))).not.toContain(text);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('cuts the number and the names of fields', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field-${i}`, i]));
    expect(Object.keys(log(many))).toHaveLength(32);
    expect(Object.keys(log({ ['k'.repeat(500)]: 1 }))).toEqual(['k'.repeat(80)]);
  });

  it('never lets note text or a long string through, whatever else is sent', () => {
    const args = fc.dictionary(
      fc.constantFrom('content', 'text', 'query', 'tags', 'reason', 'body', 'note'),
      fc.anything({ maxDepth: 2 }),
    );
    fc.assert(
      fc.property(args, (given) => {
        for (const [key, value] of Object.entries(log(given))) {
          if (typeof value === 'string')
            expect(value.length <= 80 && key !== 'content' && key !== 'text').toBe(true);
        }
        expect(JSON.stringify(log(given)).length).toBeLessThan(2000);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('reading a line back', () => {
  it.each(['', '{', 'null', '[]', '{"v":2}', '{"v":1,"ts":1}'])('gives null for %j', (text) => {
    expect(parseAuditLine(text)).toBeNull();
  });
});
