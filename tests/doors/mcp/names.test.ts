import * as fc from 'fast-check';
import { readUri } from '../../../src/core/notes/uri';
import { wingUri } from '../../../src/doors/mcp/resources';
import { claimedClient, issueSessionId, readSessionId } from '../../../src/doors/mcp/session-id';

const KEY = new Uint8Array(32).fill(7);
const NOW = new Date('2026-11-20T10:32:00Z');
const CLIENT = { name: 'claude-code', version: '2.1.300' };

describe('the session id', () => {
  it('names the client again, needs no memory, and fits a header', () => {
    const id = issueSessionId(CLIENT, 'laptop', KEY, NOW);
    expect(readSessionId(id, 'laptop', KEY)).toEqual(CLIENT);
    expect(id).toMatch(/^[\w-]+\.[\w-]{43}$/);
    expect(JSON.parse(Buffer.from(id.split('.')[0] ?? '', 'base64url').toString())).toEqual([
      'claude-code',
      '2.1.300',
      NOW.getTime(),
      expect.stringMatching(/^[\w-]{12}$/),
    ]);
  });

  it('differs between two clients of the same name', () => {
    expect(issueSessionId(CLIENT, 'laptop', KEY, NOW)).not.toBe(issueSessionId(CLIENT, 'laptop', KEY, NOW));
  });

  it('may lack a version', () => {
    const id = issueSessionId({ name: 'curl' }, 'laptop', KEY, NOW);
    expect(readSessionId(id, 'laptop', KEY)).toEqual({ name: 'curl', version: undefined });
  });

  it("is nothing to another token, to another key, or with another token's signature", () => {
    const id = issueSessionId(CLIENT, 'laptop', KEY, NOW);
    expect(readSessionId(id, 'desktop', KEY)).toBeUndefined();
    expect(readSessionId(id, 'laptop', new Uint8Array(32))).toBeUndefined();
    const other = issueSessionId({ name: 'cursor' }, 'laptop', KEY, NOW);
    expect(readSessionId(`${id.split('.')[0]}.${other.split('.')[1]}`, 'laptop', KEY)).toBeUndefined();
  });

  it.each([undefined, null, 7, ['a.b'], '', '.', 'a', 'a.b', 'a.b.c', '..', 'é.é', 'x'.repeat(10_000)])(
    '%#: is ignored when it is not one',
    (id) => {
      expect(readSessionId(id, 'laptop', KEY)).toBeUndefined();
    },
  );

  it('is ignored after any change, and never throws', () => {
    const id = issueSessionId(CLIENT, 'laptop', KEY, NOW);
    fc.assert(
      fc.property(fc.nat(id.length - 2), fc.constantFrom('A', '_', '.', '='), (at, character) => {
        fc.pre(id[at] !== character);
        expect(readSessionId(id.slice(0, at) + character + id.slice(at + 1), 'laptop', KEY)).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });
});

describe('what a client says it is', () => {
  it.each<[unknown, unknown]>([
    [
      { name: 'claude-ai', version: '0.1.0' },
      { name: 'claude-ai', version: '0.1.0' },
    ],
    [
      { name: 'x'.repeat(1_000_000), version: '1' },
      { name: 'x'.repeat(48), version: '1' },
    ],
    [{ name: '' }, undefined],
    [{ name: 7 }, undefined],
    [null, undefined],
    ['claude', undefined],
  ])('%#: is cut and cleaned', (info, expected) => {
    expect(claimedClient(info)).toEqual(expected);
  });

  it('cannot break out of its line', () => {
    const hostile = claimedClient({ name: 'a\npromoted_at: 2020', version: '1\r\n"' });
    expect(JSON.stringify(hostile)).not.toMatch(/\\n|\\r|:.*promoted_at:/);
  });
});

it('finds the wing again that an address was made for, however it is spelt', () => {
  const wing = fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !name.includes('/'));
  fc.assert(
    fc.property(wing, (name) => {
      expect(readUri(wingUri(name))).toEqual({ kind: 'wing', wing: name });
    }),
    { numRuns: 1000 },
  );
});

it('finds the path again that a client has put into the template, escaped or not', () => {
  const segment = fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !/[/%]/.test(name));
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1 }), fc.boolean(), (segments, escaped) => {
      const written = escaped ? segments.map(encodeURIComponent) : segments;
      const uri = `brain://note/${written.join('/')}`;
      expect(readUri(uri)).toEqual({ kind: 'note', path: segments.join('/') });
    }),
    { numRuns: 1000 },
  );
});

it.each([
  'brain://roots',
  'brain://root/',
  'BRAIN://root',
  'brain://note/',
  'brain://wing//index',
  'brain://wing/a/b/index',
  'brain://wing/a%2Fb/index',
  'brain://wing/a',
  'file:///etc/passwd',
  '',
])('knows no resource %j', (uri) => {
  expect(readUri(uri)).toBeNull();
});

it.each([
  ['brain://note/wiki/a/50% plan.md', 'wiki/a/50% plan.md'],
  ['brain://note/wiki/a/50%25%20plan.md', 'wiki/a/50% plan.md'],
  ['brain://note/%', '%'],
  ['brain://note/%ff%C3%BC', '%ff%C3%BC'],
  ['brain://note/%zz%C3%BC', '%zzü'],
  ['brain://note/a?b#c.md', 'a?b#c.md'],
  ['brain://note/a%3Fb%23c.md', 'a?b#c.md'],
])('takes what is no escape in %s for itself', (uri, path) => {
  expect(readUri(uri)).toEqual({ kind: 'note', path });
});
