import * as fc from 'fast-check';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import timers from 'node:timers';
import { TokenFileError } from '../../../src/adapters/host/token-contents';
import { savedToken, TokenFile } from '../../../src/adapters/host/token-file';
import { hashToken, type Scope, SCOPES } from '../../../src/core/access/tokens';
import type { Log, LogFields } from '../../../src/core/base/host';
import { notOn } from '../../support/systems';

const modes = notOn(['win32'], 'files have no modes there');

let folder = '';
let now = 0;
let logged: [string, LogFields | undefined][] = [];
const clock = { now: () => new Date(now) };
const note = (event: string, fields?: LogFields) => void logged.push([event, fields]);
const log: Log = { debug: note, info: note, warn: note, error: note };

let opened: TokenFile[] = [];
const open = async (at = folder) => {
  const tokens = await TokenFile.open(at, clock, log);
  opened.push(tokens);
  return tokens;
};
const tokensJson = () => path.join(folder, 'tokens.json');

beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), 'brain-tokens-')), 'config');
  now = Date.parse('2026-11-20T10:32:00Z');
  logged = [];
});
afterEach(async () => {
  // They save when tokens were last used in the background; that must not come after the folder is gone.
  for (const tokens of opened) await tokens.close();
  opened = [];
  rmSync(path.dirname(folder), { recursive: true, force: true });
});

describe('the first start', () => {
  modes.it('makes files and a folder that only the user may read', async () => {
    const tokens = await open();
    await tokens.verify(tokens.textOf('owner'));
    await tokens.close();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of ['tokens.json', 'last-used.json'])
      expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('makes the owner, the bridge and a session key', async () => {
    const tokens = await open();
    expect(readdirSync(folder)).toEqual(['tokens.json']);
    expect(tokens.sessionKey).toHaveLength(32);
    expect(await tokens.verify(tokens.textOf('owner'))).toEqual({
      name: 'owner',
      scopes: new Set(SCOPES),
      page: false,
    });
    expect(await tokens.verify(tokens.textOf('bridge'))).toEqual({
      name: 'bridge',
      scopes: new Set(['read', 'write']),
      page: false,
    });
    expect(tokens.textOf('owner')).toMatch(/^[\w-]{43}$/);
  });

  it('keeps what it made for every later start', async () => {
    const first = await open();
    const second = await open();
    expect(second.textOf('owner')).toBe(first.textOf('owner'));
    expect(second.sessionKey).toEqual(first.sessionKey);
    expect(await savedToken(folder, 'bridge')).toBe(first.textOf('bridge'));
  });

  it('makes one set of tokens when many start at once', async () => {
    const opened = await Promise.all(Array.from({ length: 12 }, () => open()));
    expect(new Set(opened.map((tokens) => tokens.textOf('owner'))).size).toBe(1);
    expect(readdirSync(folder)).toEqual(['tokens.json']);
  });

  it('has nothing to show before it', async () => {
    expect(await savedToken(folder, 'owner')).toBeNull();
  });
});

describe('named tokens', () => {
  it('stores the hash alone', async () => {
    const text = await (await open()).add('laptop', ['read', 'write']);
    const saved = readFileSync(tokensJson(), 'utf8');
    expect(text).not.toBeNull();
    expect(saved).not.toContain(text);
    expect(saved).toContain(hashToken(text ?? ''));
    expect(JSON.parse(saved).tokens).toContainEqual({
      name: 'laptop',
      hash: hashToken(text ?? ''),
      scopes: ['read', 'write'],
      created_at: '2026-11-20T10:32:00Z',
    });
  });

  it('gives a name once', async () => {
    const tokens = await open();
    const text = await tokens.add('laptop', ['read']);
    expect(await tokens.add('laptop', ['admin'])).toBeNull();
    expect((await tokens.verify(text ?? ''))?.scopes).toEqual(new Set(['read']));
  });

  it('knows no token that it was not given', async () => {
    const tokens = await open();
    for (const text of ['', 'x', hashToken(tokens.textOf('owner')), `${tokens.textOf('owner')} `]) {
      expect(await tokens.verify(text)).toBeNull();
    }
  });

  it('says false when there is nothing to revoke', async () => {
    expect(await (await open()).revoke('laptop')).toBe(false);
  });

  it('replaces an own token that is revoked', async () => {
    const tokens = await open();
    const old = tokens.textOf('owner');
    expect(await tokens.revoke('owner')).toBe(true);
    expect(await tokens.verify(old)).toBeNull();
    expect(await tokens.verify(tokens.textOf('owner'))).toMatchObject({ name: 'owner' });
    expect(tokens.textOf('owner')).not.toBe(old);
  });

  it('behaves like a map from names to scopes, whoever adds and revokes', async () => {
    const name = fc.constantFrom('laptop', 'phone', 'ci', 'desk');
    const scopes = fc.uniqueArray(fc.constantFrom<Scope>(...SCOPES), { minLength: 1 });
    const act = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), name, scopes }),
      fc.record({ kind: fc.constant('revoke' as const), name, scopes: fc.constant<Scope[]>([]) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(act, fc.boolean()), { maxLength: 12 }), async (acts) => {
        const at = mkdtempSync(path.join(path.dirname(folder), 'run-'));
        const server = await open(at);
        const commandLine = await open(at);
        const model = new Map<string, { text: string; scopes: Scope[] }>();
        const gone: string[] = [];
        for (const [{ kind, name: which, scopes: allowed }, byServer] of acts) {
          const actor = byServer ? server : commandLine;
          const known = model.get(which);
          if (kind === 'revoke') {
            expect(await actor.revoke(which)).toBe(known !== undefined);
            if (known) gone.push(known.text);
            model.delete(which);
          } else {
            const text = await actor.add(which, allowed);
            expect(text === null).toBe(known !== undefined);
            if (text !== null) model.set(which, { text, scopes: allowed });
          }
          now += 1000;
          for (const [holder, { text, scopes: may }] of model) {
            expect(await server.verify(text)).toEqual({ name: holder, scopes: new Set(may), page: false });
          }
          for (const text of gone) expect(await server.verify(text)).toBeNull();
        }
        expect((await server.list()).map((token) => token.name)).toEqual(
          ['bridge', 'owner', ...model.keys()].sort(),
        );
      }),
      { numRuns: 25 },
    );
  });
});

describe('tokens with limits', () => {
  const LIMITS = { read: ['wiki/homelab', 'knowledge'], writeWings: ['homelab'] };

  it('are verified and listed with them, also after a restart', async () => {
    const text = await (await open()).add('intern', ['read', 'write'], LIMITS);
    const again = await open();
    expect(await again.verify(text ?? '')).toEqual({
      name: 'intern',
      scopes: new Set(['read', 'write']),
      page: false,
      limits: LIMITS,
    });
    expect((await again.list()).map(({ name, limits }) => [name, limits])).toEqual([
      ['bridge', undefined],
      ['intern', LIMITS],
      ['owner', undefined],
    ]);
    expect(await again.add('intern', ['read'])).toBeNull();
    expect(await again.revoke('intern')).toBe(true);
    expect(await again.verify(text ?? '')).toBeNull();
  });

  it('are unknown to a version that does not know limits, which reads the others', async () => {
    const tokens = await open();
    await tokens.add('intern', ['read'], { read: ['knowledge'] });
    await tokens.add('laptop', ['read']);
    const file: unknown = JSON.parse(readFileSync(tokensJson(), 'utf8'));
    expect(file).toMatchObject({
      version: 1,
      tokens: [{ name: 'owner' }, { name: 'bridge' }, { name: 'laptop' }],
      limited: [{ name: 'intern', read: ['knowledge'] }],
    });
  });

  it.each([
    ['no limits', {}],
    ['a text for a list', { read: 'wiki' }],
    ['a path out of the vault', { read: ['../x'] }],
    ['no wing', { write_wings: [] }],
  ])('are refused as damage with %s, never read as more', async (_name, limits) => {
    await (await open()).add('intern', ['read'], { read: ['knowledge'] });
    const file = JSON.parse(readFileSync(tokensJson(), 'utf8'));
    const { read: _, ...rest } = file.limited[0];
    writeFileSync(tokensJson(), JSON.stringify({ ...file, limited: [{ ...rest, ...limits }] }));
    await expect(open()).rejects.toThrow(/entry 1 of limited is not a token/);
  });
});

describe('tokens of persons', () => {
  it('are verified and listed as such, with limits or without, also after a restart', async () => {
    const plain = await (await open()).add('ada', ['read', 'review'], { human: true });
    const limited = await (await open()).add('eve', ['read'], { human: true, read: ['knowledge'] });
    const again = await open();
    const rest = { page: false, human: true };
    expect(await again.verify(plain ?? '')).toEqual({
      ...{ name: 'ada', scopes: new Set(['read', 'review']) },
      ...rest,
    });
    expect(await again.verify(limited ?? '')).toEqual({
      ...{ name: 'eve', scopes: new Set(['read']), limits: { read: ['knowledge'] } },
      ...rest,
    });
    await again.add('laptop', ['read']);
    expect((await again.list()).map(({ name, human = false }) => [name, human])).toEqual([
      ['ada', true],
      ['bridge', false],
      ['eve', true],
      ['laptop', false],
      ['owner', false],
    ]);
    expect(await again.add('ada', ['read'])).toBeNull();
    expect(await again.revoke('ada')).toBe(true);
    expect(await again.verify(plain ?? '')).toBeNull();
  });

  it('are unknown to a version that does not know persons, which would take them for agents', async () => {
    await (await open()).add('ada', ['review'], { human: true, read: ['knowledge'] });
    expect(JSON.parse(readFileSync(tokensJson(), 'utf8'))).toMatchObject({
      version: 1,
      tokens: [{ name: 'owner' }, { name: 'bridge' }],
      human: [{ name: 'ada', read: ['knowledge'] }],
    });
  });

  it.each([
    ['no list', 'x', /human is not a list/],
    ['the name of the owner', [{ name: 'owner' }], /entry 1 of human is not a token/],
    ['damaged limits', [{ read: 'wiki' }], /entry 1 of human is not a token/],
  ])('are refused as damage with %s', async (_name, damage, problem) => {
    await (await open()).add('ada', ['read'], { human: true });
    const file = JSON.parse(readFileSync(tokensJson(), 'utf8'));
    const human = Array.isArray(damage) ? [{ ...file.human[0], ...damage[0] }] : damage;
    writeFileSync(tokensJson(), JSON.stringify({ ...file, human }));
    await expect(open()).rejects.toThrow(problem);
  });
});

describe('a server and a command line at once', () => {
  it('accepts a new token at once, without waiting for the next look', async () => {
    const server = await open();
    await server.verify(server.textOf('owner'));
    const text = await (await open()).add('laptop', ['read']);
    expect(await server.verify(text ?? '')).toMatchObject({ name: 'laptop' });
  });

  it('knows a new token also while other requests make it look at the file', async () => {
    const server = await open();
    const other = await open();
    for (let round = 0; round < 50; round += 1) {
      const text = (await other.add(`agent-${round}`, ['read'])) ?? '';
      const answers = await Promise.all(Array.from({ length: 8 }, () => server.verify(text)));
      expect(answers.map((answer) => answer?.name)).toEqual(
        Array.from({ length: 8 }, () => `agent-${round}`),
      );
    }
  });

  it('refuses a revoked token a quarter of a second later', async () => {
    const server = await open();
    const text = (await server.add('laptop', ['read'])) ?? '';
    expect(await server.verify(text)).not.toBeNull();
    await (await open()).revoke('laptop');
    now += 250;
    expect(await server.verify(text)).toBeNull();
  });

  it('loses no token when many are added at once', async () => {
    const server = await open();
    const names = Array.from({ length: 20 }, (_, index) => `agent-${index}`);
    const texts = await Promise.all(names.map(async (name) => (await open()).add(name, ['read'])));
    for (const [index, text] of texts.entries()) {
      expect(await server.verify(text ?? '')).toMatchObject({ name: names[index] });
    }
  });

  it('goes on when a process died in the middle of a change', async () => {
    const tokens = await open();
    const lock = path.join(folder, 'tokens.lock');
    writeFileSync(lock, '');
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lock, longAgo, longAgo);
    expect(await tokens.add('laptop', ['read'])).not.toBeNull();
    expect(readdirSync(folder)).toEqual(['tokens.json']);
  });
});

describe('a file that is not as it should be', () => {
  const sound = {
    version: 1,
    session_key: Buffer.alloc(32, 7).toString('base64url'),
    tokens: [] as unknown[],
  };
  const entry = { name: 'a', hash: hashToken('a'), scopes: ['read'], created_at: '2026-11-20T10:32:00Z' };

  it.each<[string, string, RegExp]>([
    ['cut short', '{"version": 1, "tok', /not JSON/],
    ['empty', '', /not JSON/],
    ['of another kind', '[]', /not an object/],
    ['of another version', JSON.stringify({ ...sound, version: 2 }), /version is 2/],
    ['without a session key', JSON.stringify({ ...sound, session_key: 'abc' }), /session_key/],
    ['without tokens', JSON.stringify({ ...sound, tokens: null }), /tokens is not a list/],
    [
      'with a scope that does not exist',
      JSON.stringify({ ...sound, tokens: [{ ...entry, scopes: ['all'] }] }),
      /entry 1/,
    ],
    [
      'with a hash that is none',
      JSON.stringify({ ...sound, tokens: [entry, { ...entry, hash: 'x' }] }),
      /entry 2/,
    ],
    [
      'with a text that does not fit its hash',
      JSON.stringify({ ...sound, tokens: [{ ...entry, token: 'b' }] }),
      /entry 1/,
    ],
    ['with one name twice', JSON.stringify({ ...sound, tokens: [entry, entry] }), /two tokens/],
  ])('is refused, and left as it is: %s', async (_, text, problem) => {
    await open();
    writeFileSync(tokensJson(), text);
    await expect(open()).rejects.toThrow(TokenFileError);
    await expect(open()).rejects.toThrow(problem);
    await expect(savedToken(folder, 'owner')).rejects.toThrow(tokensJson());
    expect(readFileSync(tokensJson(), 'utf8')).toBe(text);
    expect(readdirSync(folder)).toEqual(['tokens.json']);
  });

  it('is refused by a running server as well, until it is mended', async () => {
    const server = await open();
    const owner = server.textOf('owner');
    const text = readFileSync(tokensJson(), 'utf8');
    writeFileSync(tokensJson(), text.slice(0, 40));
    now += 250;
    await expect(server.verify(owner)).rejects.toThrow(TokenFileError);
    await expect(server.add('laptop', ['read'])).rejects.toThrow(TokenFileError);
    writeFileSync(tokensJson(), text);
    now += 250;
    expect(await server.verify(owner)).toMatchObject({ name: 'owner' });
  });

  it('holds no tokens when it is gone', async () => {
    const server = await open();
    const owner = server.textOf('owner');
    rmSync(tokensJson());
    now += 250;
    expect(await server.verify(owner)).toBeNull();
  });

  modes.it('is closed to others again, with a warning', async () => {
    await open();
    chmodSync(tokensJson(), 0o644);
    await open();
    expect(statSync(tokensJson()).mode & 0o777).toBe(0o600);
    expect(logged).toEqual([['token_file_was_open_to_others', { file: tokensJson() }]]);
  });
});

describe('times of last use', () => {
  const lastUsed = () => path.join(folder, 'last-used.json');
  const used = async (tokens: TokenFile) =>
    Object.fromEntries((await tokens.list()).map((token) => [token.name, token.last_used]));

  it('are never in the file of the tokens, and are written at the end', async () => {
    const server = await open();
    const before = readFileSync(tokensJson(), 'utf8');
    expect(await used(server)).toEqual({ owner: null, bridge: null });
    await server.verify(server.textOf('owner'));
    now += 5000;
    await server.verify(server.textOf('owner'));
    await server.close();
    expect(await used(await open())).toEqual({ owner: '2026-11-20T10:32:05Z', bridge: null });
    expect(readFileSync(tokensJson(), 'utf8')).toBe(before);
  });

  it('of two servers are joined, the later one winning', async () => {
    const [one, two] = [await open(), await open()];
    await one.verify(one.textOf('owner'));
    await two.verify(two.textOf('bridge'));
    now += 60_000;
    await two.verify(two.textOf('owner'));
    await two.close();
    await one.close();
    expect(await used(await open())).toEqual({
      owner: '2026-11-20T10:33:00Z',
      bridge: '2026-11-20T10:32:00Z',
    });
  });

  it('of servers that save at the same moment are all kept, and each lists the later one', async () => {
    const first = await open();
    const names = Array.from({ length: 12 }, (_, at) => `agent ${at}`);
    const texts: string[] = [];
    for (const name of names) texts.push((await first.add(name, ['read'])) ?? '');
    const servers = await Promise.all(names.map(() => open()));
    await Promise.all(servers.map((server, at) => server.verify(texts[at] ?? '')));
    await Promise.all(servers.map((server) => server.close()));
    const at = '2026-11-20T10:32:00Z';
    expect(await used(first)).toEqual({
      ...{ owner: null, bridge: null },
      ...Object.fromEntries(names.map((name) => [name, at])),
    });
    now += 60_000;
    await first.verify(texts[0] ?? '');
    await first.close();
    expect(await used(servers[0] ?? first)).toMatchObject({ 'agent 0': '2026-11-20T10:33:00Z' });
  });

  it('are those of the token itself, not of one that had its name before', async () => {
    const server = await open();
    await server.verify((await server.add('laptop', ['read'])) ?? '');
    await server.close();
    now += 60_000;
    await server.revoke('laptop');
    const text = await server.add('laptop', ['read']);
    expect(await used(server)).toMatchObject({ laptop: null });
    await server.verify(text ?? '');
    expect(await used(server)).toMatchObject({ laptop: '2026-11-20T10:33:00Z' });
  });

  describe('of tokens that are used one after the other', () => {
    /** What was put off, with the milliseconds it has to wait. */
    let later: [() => void, number | undefined][] = [];
    beforeEach(() => {
      later = [];
      const { setTimeout: real } = timers;
      jest.spyOn(timers, 'setTimeout').mockImplementation((work, ms) => {
        later.push([work, ms]);
        return real(() => undefined, 0);
      });
    });
    afterEach(() => jest.restoreAllMocks());

    /** What stands on disk, read until it has this many entries: saving goes on in the background. */
    const savedTimes = async (entries: number): Promise<unknown> => {
      for (;;) {
        const text = await readFile(lastUsed(), 'utf8').catch(() => '{}');
        const times: object = JSON.parse(text);
        if (Object.keys(times).length === entries) return times;
      }
    };

    it('are all saved a minute later, with no further use', async () => {
      const server = await open();
      await server.verify(server.textOf('owner'));
      expect(await savedTimes(1)).toEqual({ owner: '2026-11-20T10:32:00Z' });
      now += 1000;
      await server.verify(server.textOf('bridge'));
      now += 1000;
      await server.verify(server.textOf('bridge'));
      expect(later.map(([, ms]) => ms)).toEqual([59_000]);
      now += 58_000;
      for (const [save] of later.splice(0)) save();
      expect(await savedTimes(2)).toEqual({ owner: '2026-11-20T10:32:00Z', bridge: '2026-11-20T10:32:02Z' });
      // From then on it is the same again.
      now += 10_000;
      await server.verify(server.textOf('owner'));
      await server.verify(server.textOf('bridge'));
      expect(later.map(([, ms]) => ms)).toEqual([50_000]);
    });

    it('are saved at the end, and nothing is left to wait for', async () => {
      const clear = jest.spyOn(timers, 'clearTimeout');
      const server = await open();
      await server.verify(server.textOf('owner'));
      await server.verify(server.textOf('bridge'));
      await server.close();
      expect(later).toHaveLength(1);
      expect(clear).toHaveBeenCalledWith(jest.mocked(timers.setTimeout).mock.results[0]?.value);
      expect(JSON.parse(readFileSync(lastUsed(), 'utf8'))).toEqual({
        owner: '2026-11-20T10:32:00Z',
        bridge: '2026-11-20T10:32:00Z',
      });
    });

    it('are written once for one use', async () => {
      const server = await open();
      await server.verify(server.textOf('owner'));
      await savedTimes(1);
      await server.close();
      rmSync(lastUsed());
      await server.close();
      expect(readdirSync(folder)).toEqual(['tokens.json']);
    });
  });

  it('that cannot be read cost nothing but themselves', async () => {
    const server = await open();
    writeFileSync(lastUsed(), '{"owner": 3, ');
    await server.verify(server.textOf('owner'));
    await server.close();
    expect(JSON.parse(readFileSync(lastUsed(), 'utf8'))).toEqual({ owner: '2026-11-20T10:32:00Z' });
    expect(logged.map(([event]) => event)).toContain('last_used_unreadable');
  });
});
