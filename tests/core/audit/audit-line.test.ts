import * as fc from 'fast-check';
import { loggedArgs, parseAuditLine } from '../../../src/core/audit/audit-line';
import { sha256 } from '../../../src/core/rules/hash';

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
    expect(loggedArgs(args)).toEqual(expected);
  });

  it('cuts the number and the names of fields', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field-${i}`, i]));
    expect(Object.keys(loggedArgs(many))).toHaveLength(32);
    expect(Object.keys(loggedArgs({ ['k'.repeat(500)]: 1 }))).toEqual(['k'.repeat(80)]);
  });

  it('never lets note text or a long string through, whatever else is sent', () => {
    const args = fc.dictionary(
      fc.constantFrom('content', 'text', 'query', 'tags', 'reason'),
      fc.anything({ maxDepth: 2 }),
    );
    fc.assert(
      fc.property(args, (given) => {
        for (const [key, value] of Object.entries(loggedArgs(given))) {
          if (typeof value === 'string')
            expect(value.length <= 80 && key !== 'content' && key !== 'text').toBe(true);
        }
        expect(JSON.stringify(loggedArgs(given)).length).toBeLessThan(2000);
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
