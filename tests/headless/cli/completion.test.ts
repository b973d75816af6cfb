import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { brainCommand } from '../../support/command-line';
import { withTempFolder } from '../../support/temp-folder';

async function printed(...args: string[]): Promise<string> {
  const { code, out } = await brainCommand(args);
  expect(code).toBe(0);
  return out;
}

interface Helped {
  /** The words of the command, such as `token add`, with every alias of the last. */
  readonly names: readonly string[];
  readonly flags: readonly string[];
}

/** Every command with its flags, as the help texts show them. */
async function helped(words: readonly string[] = [], names: readonly string[] = []): Promise<Helped[]> {
  const text = await printed(...words, '--help');
  const [, options = ''] = /\nOptions:\n([^]*?)(?=\n\n|$)/.exec(text) ?? [];
  const [, commands = ''] = /\nCommands:\n([^]*?)(?=\n\n|$)/.exec(text) ?? [];
  const flags = [...options.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].flatMap(([, flag]) => flag ?? []);
  const children: Helped[] = [];
  for (const [, name = ''] of commands.matchAll(/^ {2}([a-z|-]+)(?= )/gm)) {
    const all = name.split('|');
    if (all[0] !== 'help') children.push(...(await helped([...words, ...all.slice(0, 1)], all)));
  }
  return [{ names, flags }, ...children];
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;

it.each([...SHELLS.map((shell) => ['completion', shell]), ['man']])(
  'brain %s %s names every command and every flag',
  async (...command) => {
    const text = (await printed(...command)).replaceAll('\\-', '-');
    const all = await helped();
    expect(all.length).toBeGreaterThan(30);
    expect(all.flatMap(({ flags }) => flags)).toContain('--not-stale');
    for (const { names, flags } of all) {
      for (const name of names) expect(text).toMatch(new RegExp(`(?<![\\w-])${name}(?![\\w-])`));
      for (const flag of flags) {
        // fish writes a flag as `-l name`.
        const word = command[1] === 'fish' ? `-l ${flag.slice(2)}` : flag;
        expect(text).toMatch(new RegExp(`(?<![\\w-])${word}(?![\\w-])`));
      }
    }
  },
);

/** Returns true when the shell is here; says on standard error that its tests are skipped when it is not. */
function isHere(shell: string): boolean {
  const found = spawnSync(shell, ['-c', 'exit 0']).status === 0;
  if (!found)
    process.stderr.write(`Skipped: the completion of ${shell} is not read, as ${shell} is not here.\n`);
  return found;
}

describe.each(SHELLS.filter(isHere))('the script for %s', (shell) => {
  it('is read by the shell without an error', () =>
    withTempFolder(async (root) => {
      const file = path.join(root, `brain.${shell}`);
      writeFileSync(file, await printed('completion', shell));
      const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    }));
});

(isHere('bash') ? describe : describe.skip)('in bash', () => {
  it.each<[string, string[], string[]]>([
    ['commands', ['brain', 'sea'], ['search']],
    ['subcommands', ['brain', 'token', 're'], ['revoke']],
    ['flags', ['brain', 'query', '--wr'], ['--written-by']],
    ['flags of a subcommand', ['brain', 'token', 'add', '--q'], ['--quarantine']],
    [
      'flags under an alias, after a flag with a value',
      ['brain', 'search', '--wing', 'list', '--not'],
      ['--not-stale'],
    ],
    ['values that are few', ['brain', 'query', '--hall', 'f'], ['facts', 'failures']],
    ['no value that is free', ['brain', 'write', '--file', ''], []],
  ])('completes %s', async (_, words, expected) => {
    const script = await printed('completion', 'bash');
    const typed = words.map((word) => `'${word}'`).join(' ');
    const run = `${script}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _brain; echo "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', run], { encoding: 'utf8' });
    expect([stdout.trim().split(' ').filter(Boolean), stderr]).toEqual([expected, '']);
  });
});

it('refuses a shell that it does not know', async () => {
  const { code, err } = await brainCommand(['completion', 'tcsh']);
  expect(code).toBe(2);
  expect(err).toContain('Allowed choices are bash, zsh, fish');
});

it('the manual page has the sections that man shows', async () => {
  const page = await printed('man');
  const sections = [...page.matchAll(/^\.SH (.+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(['NAME', 'SYNOPSIS', 'OPTIONS', 'COMMANDS', 'NOTES', 'SEE ALSO']);
  expect(page).toContain('.SS "brain query|search <words...>"');
  expect(page).toContain('130 ended with Ctrl\\-C.');
  expect(page).not.toMatch(/^'/m);
});
