import { hashToken, SCOPES } from '../../../src/core/access/tokens';
import { PluginTokens } from '../../../src/plugin/server/tokens';
import { fixedClock } from '../../support/fixed-clock';

/** Local storage and secrets as the app keeps them: text, under keys. */
function keptApp() {
  const local = new Map<string, string>();
  const secrets = new Map<string, string>();
  return {
    local,
    secrets,
    writes: 0,
    loadLocalStorage: (key: string): unknown => JSON.parse(local.get(key) ?? 'null'),
    saveLocalStorage(key: string, data: unknown) {
      this.writes += 1;
      local.set(key, JSON.stringify(data));
    },
    secretStorage: {
      getSecret: (id: string) => secrets.get(id) ?? null,
      setSecret: (id: string, secret: string) => {
        expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        secrets.set(id, secret);
      },
    },
  };
}

function open(ownerToken?: string) {
  const app = keptApp();
  const clock = fixedClock();
  // The rest of the app is never asked for.
  const tokens = () =>
    new PluginTokens(app as unknown as ConstructorParameters<typeof PluginTokens>[0], clock, ownerToken);
  return { app, clock, tokens: tokens(), again: tokens };
}

describe('the owner', () => {
  it('has a token of all scopes, made once and kept as a secret alone', async () => {
    const { app, tokens, again } = open();
    const text = tokens.ownerToken;
    expect(text).toMatch(/^[\w-]{43}$/);
    expect(again().ownerToken).toBe(text);
    expect(await tokens.verify(text)).toEqual({ name: 'owner', scopes: new Set(SCOPES), page: false });
    await tokens.list();
    expect([...app.local.values()].join()).not.toContain(text);
  });

  it('gets a new token when the old one is revoked', async () => {
    const { clock, tokens } = open();
    await tokens.list();
    const text = tokens.ownerToken;
    clock.advance(60_000);
    await tokens.revoke('owner');
    expect(tokens.ownerToken).not.toBe(text);
    expect(await tokens.verify(text)).toBeNull();
    expect((await tokens.list())[0]).toMatchObject({ name: 'owner', created_at: '2026-11-20T10:33:00Z' });
  });

  it('is whoever has the token of the environment, where there is one', async () => {
    const { app, tokens } = open('from-the-environment');
    expect((await tokens.verify('from-the-environment'))?.name).toBe('owner');
    expect(app.secrets.has('brain-server-owner-token')).toBe(false);
    await expect(tokens.revoke('owner')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('named tokens', () => {
  it('open what they were given, and are kept as a hash', async () => {
    const { app, tokens, again } = open();
    const text = await tokens.add('laptop', ['read', 'write']);
    expect(await again().verify(text)).toEqual({
      name: 'laptop',
      scopes: new Set(['read', 'write']),
      page: false,
    });
    const kept = [...app.local.values(), ...app.secrets.values()].join();
    expect(kept).not.toContain(text);
    expect(kept).toContain(hashToken(text));
  });

  it('are refused at once when they are revoked elsewhere', async () => {
    const { tokens, again } = open();
    const text = await tokens.add('laptop', ['read']);
    await again().revoke('laptop');
    expect(await tokens.verify(text)).toBeNull();
    await expect(tokens.revoke('laptop')).rejects.toMatchObject({ name: 'CallError', code: 'not_found' });
  });

  it.each([
    ['a name that the service uses', 'owner', ['read']],
    ['a name that is none', 'My laptop', ['read']],
    ['no scope', 'laptop', []],
    ['a scope that nobody knows', 'laptop', ['read', 'fly']],
  ])('are not made with %s', async (_, name, scopes) => {
    const { tokens } = open();
    await expect(tokens.add(name, scopes)).rejects.toMatchObject({
      name: 'CallError',
      code: 'invalid_field',
    });
    expect(await tokens.list()).toHaveLength(1);
  });

  it('are not made twice under one name', async () => {
    const { tokens } = open();
    const first = await tokens.add('laptop', ['read']);
    await expect(tokens.add('laptop', ['write'])).rejects.toMatchObject({ code: 'invalid_field' });
    expect((await tokens.verify(first))?.scopes).toEqual(new Set(['read']));
  });

  it('are listed by name, the owner first, with the time of their last use', async () => {
    const { clock, tokens } = open();
    const text = await tokens.add('tablet', ['read']);
    await tokens.add('laptop', ['read', 'write']);
    clock.advance(3_600_000);
    await tokens.verify(text);
    expect(await tokens.list()).toEqual([
      { name: 'owner', scopes: SCOPES, created_at: '2026-11-20T11:32:00Z' },
      { name: 'laptop', scopes: ['read', 'write'], created_at: '2026-11-20T10:32:00Z' },
      {
        name: 'tablet',
        scopes: ['read'],
        created_at: '2026-11-20T10:32:00Z',
        last_used: '2026-11-20T11:32:00Z',
      },
    ]);
    await tokens.revoke('tablet');
    await tokens.add('tablet', ['read']);
    expect((await tokens.list()).at(-1)).not.toHaveProperty('last_used');
  });

  it('cost a write a minute at most, however often they are used', async () => {
    const { app, clock, tokens } = open();
    const text = await tokens.add('laptop', ['read']);
    expect(tokens.ownerToken).toBeDefined(); // Its making is a write of its own.
    const before = app.writes;
    for (let i = 0; i < 100; i += 1) await tokens.verify(text);
    expect(app.writes - before).toBe(1);
    clock.advance(60_000);
    await tokens.verify(text);
    expect(app.writes - before).toBe(2);
  });

  it('are never made by damage: what cannot be read is no token', async () => {
    const { app, tokens } = open();
    const text = await tokens.add('laptop', ['read']);
    const kept = JSON.parse(app.local.get('brain-server:tokens') ?? '');
    for (const damage of [
      { ...kept[0], hash: 'abc' },
      { ...kept[0], scopes: ['read', 'everything'] },
      { ...kept[0], name: 'owner' },
      { ...kept[0], created_at: 1 },
      'laptop',
    ]) {
      app.local.set('brain-server:tokens', JSON.stringify([damage]));
      expect(await tokens.verify(text)).toBeNull();
    }
    app.local.set('brain-server:tokens', '{}');
    expect(await tokens.verify(text)).toBeNull();
  });
});

it('refuses what nobody was given', async () => {
  const { tokens } = open();
  await tokens.add('laptop', ['read']);
  for (const text of ['', 'laptop', hashToken('laptop')]) expect(await tokens.verify(text)).toBeNull();
});

it('keeps the key of MCP sessions over a restart', () => {
  const { tokens, again } = open();
  expect(tokens.sessionKey).toHaveLength(32);
  expect(again().sessionKey).toEqual(tokens.sessionKey);
});

describe('tokens with limits', () => {
  const LIMITS = { read: ['wiki/homelab', 'knowledge'], writeWings: ['homelab'] };

  it('are kept apart from the others, so that an older version refuses them', async () => {
    const { app, tokens, again } = open();
    const text = await tokens.add('intern', ['read', 'write'], {
      read: ['wiki/homelab/', 'knowledge'],
      writeWings: ['Homelab'],
    });
    await tokens.add('laptop', ['read']);
    expect(await again().verify(text)).toEqual({
      name: 'intern',
      scopes: new Set(['read', 'write']),
      page: false,
      limits: LIMITS,
    });
    expect((await again().list()).map(({ name, read, writeWings }) => [name, read, writeWings])).toEqual([
      ['owner', undefined, undefined],
      ['intern', LIMITS.read, LIMITS.writeWings],
      ['laptop', undefined, undefined],
    ]);
    expect(app.loadLocalStorage('brain-server:tokens')).toMatchObject([{ name: 'laptop' }]);
    expect(app.loadLocalStorage('brain-server:limited-tokens')).toMatchObject([{ name: 'intern' }]);
    await again().revoke('intern');
    expect(await tokens.verify(text)).toBeNull();
  });

  it('lose the token, and never the limit, when the store is damaged', async () => {
    const { app, tokens } = open();
    const text = await tokens.add('intern', ['read'], { read: ['knowledge'] });
    const [saved] = app.loadLocalStorage('brain-server:limited-tokens') as object[]; // As it was kept above.
    for (const damage of [{ read: undefined }, { read: [] }, { read: ['../x'] }, { read: 'knowledge' }]) {
      app.saveLocalStorage('brain-server:limited-tokens', [{ ...saved, ...damage }]);
      expect(await tokens.verify(text)).toBeNull();
    }
  });

  it('are refused when they name no path or wing', async () => {
    const { tokens } = open();
    await expect(tokens.add('a', ['read'], { read: ['../x'] })).rejects.toMatchObject({
      code: 'invalid_field',
    });
    await expect(tokens.add('a', ['read'], { writeWings: [] })).rejects.toMatchObject({
      code: 'invalid_field',
    });
    expect(await tokens.list()).toHaveLength(1);
  });
});
