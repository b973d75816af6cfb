import * as fc from 'fast-check';
import { RESERVED_TOKEN_NAMES } from '../../../src/core/access/token-name';
import { checkTokenName, SCOPES as SERVICE_SCOPES } from '../../../src/core/access/tokens';
import {
  AGENT_NAMES,
  AGENTS,
  freeName,
  SCOPES,
  toggleScope,
  tokenCommand,
  USUAL_SCOPES,
} from '../../../src/ui/connect/agents';
import { limitOptions, limitWords, NO_LIMITS, readLimits } from '../../../src/ui/connect/limits';

const CONNECTION = { url: 'http://127.0.0.1:27246' };
const TOKEN = 'abcDEF-_123';

it.each(
  AGENT_NAMES.flatMap((name) => AGENTS[name].setups.map((setup) => [name, setup.form, setup] as const)),
)('%s, %s: is as written down', (_name, _form, setup) => {
  const text = setup.text(CONNECTION, TOKEN);
  expect(`${setup.title}\n\n${text}`).toMatchSnapshot();
  expect(text.split(TOKEN)).toHaveLength(2);
  expect(text).toContain(CONNECTION.url);
  if (text.startsWith('{')) expect(() => void JSON.parse(text)).not.toThrow();
});

it.each(AGENT_NAMES)('%s gets a name that the service takes', (name) => {
  expect(() => checkTokenName(AGENTS[name].tokenName)).not.toThrow();
  expect(() => checkTokenName(freeName(AGENTS[name].tokenName, [AGENTS[name].tokenName]))).not.toThrow();
});

it('finds a name that nobody has', () => {
  expect(freeName('codex', [])).toBe('codex');
  expect(freeName('codex', ['codex', 'codex-3'])).toBe('codex-2');
  expect(freeName('codex', ['codex', 'codex-2'])).toBe('codex-3');
});

describe('the scopes', () => {
  it('are those of the service', () => {
    expect(SCOPES.map(({ scope }) => scope).sort()).toEqual([...SERVICE_SCOPES].sort());
  });

  it('let an agent write or propose, not both', () => {
    expect(toggleScope(['read', 'write'], 'propose', true)).toEqual(['read', 'propose']);
    expect(toggleScope(['read', 'propose'], 'write', true)).toEqual(['read', 'write']);
    expect(toggleScope(['read', 'write'], 'write', false)).toEqual(['read']);
    expect(toggleScope(['read', 'write'], 'review', true)).toEqual(['read', 'write', 'review']);
    expect(toggleScope(['admin'], 'admin', false)).toEqual([]);
  });

  it('stand in the command unless they are the usual ones', () => {
    expect(tokenCommand('codex', USUAL_SCOPES)).toBe('brain token add codex');
    expect(tokenCommand('codex', ['read', 'propose'])).toBe('brain token add codex --scopes read,propose');
  });

  it('make no command when there is none of them', () => {
    expect(tokenCommand('codex', [])).toBeNull();
  });
});

describe('the name of a token', () => {
  const said = (name: string): string | null => {
    try {
      checkTokenName(name);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
  };
  const names = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[a-zA-Z0-9 _-]{0,34}$/),
    fc.constantFrom(...RESERVED_TOKEN_NAMES, 'bad name;rm -rf "x" $(y)', 'a\n', ''),
  );

  it('has a command when the service takes it, and only then', () => {
    fc.assert(
      fc.property(names, (name) =>
        expect(tokenCommand(name, USUAL_SCOPES) === null).toBe(said(name) !== null),
      ),
      { numRuns: 500 },
    );
  });

  it('never stands in a command that a shell would take for another', () => {
    fc.assert(
      fc.property(names, (name) => {
        const command = tokenCommand(name, USUAL_SCOPES);
        expect(command === null).toBe(said(name) !== null);
        if (command !== null) expect(command).toMatch(/^brain token add [a-z0-9-]+$/);
      }),
    );
  });
});

it('says what to start where there is no command called brain', () => {
  const [withBrain] = AGENTS['claude-desktop'].setups;
  expect(withBrain.form).toBe('With brain');
  expect(withBrain.note).toMatch(/the command is node, and the whole path of dist\/brain\.mjs/);
});

it('reads what a person types', () => {
  expect(readLimits(NO_LIMITS)).toEqual({ limits: {}, problems: { read: null, wings: null } });
  expect(readLimits({ read: ' wiki/homelab , Projects/my plan.md,', wings: 'Home Lab' })).toEqual({
    limits: { read: ['wiki/homelab', 'Projects/my plan.md'], writeWings: ['home-lab'] },
    problems: { read: null, wings: null },
  });
});

it('says at each field what is wrong with it, and never drops a limit', () => {
  const { limits, problems } = readLimits({ read: '../x', wings: ',' });
  expect(limits).toBeNull();
  expect(problems).toEqual({
    read: expect.stringContaining('"../x" cannot be read'),
    wings: expect.stringContaining('Name at least one wing'),
  });
});

it('says what a token reads and writes', () => {
  expect(limitWords({})).toBeNull();
  expect(limitWords({ read: ['knowledge'] })).toBe('Reads only knowledge.');
  expect(limitWords({ writeWings: ['a', 'b'] })).toBe('Writes only into a, b.');
});

it('gives the options of the command, safe in a shell', () => {
  expect(limitOptions({})).toBe('');
  expect(limitOptions({ read: ['wiki/homelab', 'knowledge'], writeWings: ['homelab'] })).toBe(
    ' --read wiki/homelab,knowledge --write-wings homelab',
  );
  expect(limitOptions({ read: ["it's $(rm)"] })).toBe(" --read 'it'\\''s $(rm)'");
});
