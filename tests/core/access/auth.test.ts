import * as fc from 'fast-check';
import {
  checkTokenName,
  createPageToken,
  createToken,
  findToken,
  hashToken,
  joinTokenStores,
  SCOPES,
} from '../../../src/core/access/tokens';
import { RESERVED_TOKEN_NAMES } from '../../../src/core/access/token-name';
import { sha256 } from '../../../src/core/base/hash';
import { call, OWNER, serve, stopServers, TOKENS } from '../../doors/http-support';
import { refusal } from '../../support/refusal';

describe('checkTokenName', () => {
  it.each(['a', '0', 'laptop', 'claude-code', 'a-', 'x'.repeat(32)])('takes %s', (name) => {
    expect(() => checkTokenName(name)).not.toThrow();
  });

  it.each(['', '-a', 'A', 'a b', 'a_b', 'é', 'a\n', 'human:me', 'x'.repeat(33), ...RESERVED_TOKEN_NAMES])(
    'refuses %j',
    (name) => {
      expect(refusal(() => checkTokenName(name))).toMatchObject({
        code: 'invalid_field',
        details: { field: 'name' },
      });
    },
  );
});

describe('tokens', () => {
  it('are 32 random bytes that fit into a header', () => {
    const tokens = Array.from({ length: 200 }, createToken);
    expect(new Set(tokens).size).toBe(200);
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('are kept as their SHA-256', () => {
    expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('findToken', () => {
  it('finds the entry with the hash, and no other', () => {
    const texts = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(texts, fc.string(), (known, asked) => {
        const entries = known.map((text) => ({ hash: sha256(text), text }));
        const found = findToken(sha256(asked), entries);
        expect(found?.text ?? null).toBe(known.includes(asked) ? asked : null);
      }),
      { numRuns: 1000 },
    );
  });

  it('tells hashes apart that differ in one digit anywhere', () => {
    const hash = sha256('a');
    for (let i = 0; i < hash.length; i++) {
      const digits = [...hash];
      digits[i] = digits[i] === '0' ? '1' : '0';
      // Not a hash of anything we know, but one in form.
      const other = { hash: digits.join('') as typeof hash };
      expect(findToken(hash, [other])).toBeNull();
    }
  });
});

describe('token stores', () => {
  it('know the page token for as long as they live', async () => {
    const { token, store } = createPageToken();
    expect(await store.verify(token)).toMatchObject({ name: 'page', page: true, scopes: new Set(SCOPES) });
    expect(await store.verify(`${token}x`)).toBeNull();
    expect(await createPageToken().store.verify(token)).toBeNull();
  });

  it('joined know what one of them knows', async () => {
    const page = createPageToken();
    const both = joinTokenStores(page.store, TOKENS);
    expect((await both.verify(page.token))?.name).toBe('page');
    expect((await both.verify(OWNER))?.name).toBe('laptop');
    expect(await both.verify('other')).toBeNull();
    expect(await joinTokenStores().verify(OWNER)).toBeNull();
  });

  it('throws the error of a store that cannot answer only for a token that no other knows', async () => {
    const broken = { verify: () => Promise.reject(new Error('down')) };
    const both = joinTokenStores(broken, TOKENS);
    expect(await both.verify(OWNER)).not.toBeNull();
    await expect(both.verify('unknown')).rejects.toThrow('down');
  });
});

describe('Authorization', () => {
  let base = '';
  beforeAll(async () => {
    ({ url: base } = await serve());
  });
  afterAll(stopServers);

  it.each([
    [`Bearer ${OWNER}`, 200],
    [`bearer ${OWNER}`, 200],
    [`Bearer   ${OWNER}`, 200],
    ['', 401],
    ['Bearer', 401],
    ['Bearer ', 401],
    [`Bearer ${OWNER} ${OWNER}`, 401],
    [`Bearer ${OWNER}, Bearer ${OWNER}`, 401],
    [`Bearer${OWNER}`, 401],
    [`Bearer "${OWNER}"`, 401],
    [`Basic ${OWNER}`, 401],
    [`Token ${OWNER}`, 401],
    [OWNER, 401],
    [`Bearer ${OWNER}x`, 401],
    [`Bearer ${OWNER.slice(0, -1)}`, 401],
    [`Bearer ${hashToken(OWNER)}`, 401],
  ])('%s is %i', async (authorization, status) => {
    const answer = await call(base, 'GET', '/find?text=a', { headers: { authorization } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer realm="brain"' : null);
  });

  it('is the only place for a token', async () => {
    const elsewhere = { authorization: '', cookie: `token=${OWNER}`, 'x-api-key': OWNER };
    expect(
      (await call(base, 'GET', `/find?text=a&token=${OWNER}&access_token=${OWNER}`, { headers: elsewhere }))
        .status,
    ).toBe(401);
  });

  it('answers every wrong token alike, and never locks out the right one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        call(base, 'GET', '/find?text=a', { headers: { authorization: `Bearer ${i}` } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect((await call(base, 'GET', '/find?text=a')).status).toBe(200);
  });
});
