import * as fc from 'fast-check';
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
