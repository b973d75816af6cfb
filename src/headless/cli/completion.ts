import { Argument, type Command, type Option } from 'commander';
import { ORIGINS } from '../../core/access/tokens';
import { HALLS } from '../../core/vocabulary/address';
import { APPLIES, CLAIM_PROVENANCES, HALF_LIVES } from '../../core/vocabulary/envelope';
import type { Io } from '../terminal/io';
import { treeOf } from './words';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** A flag as a shell completes it. */
interface Flag {
  readonly long: string;
  readonly short: string | null;
  /** The name of its value; null for a switch. */
  readonly value: string | null;
  readonly description: string;
}

/** A command as a shell completes it. */
interface Entry {
  /** Its words after `brain`, such as `token add`; empty for the program itself. */
  readonly words: string;
  /** All ways to write these words: with every alias. */
  readonly spellings: readonly string[];
  readonly description: string;
  readonly flags: readonly Flag[];
  /** The values of its first argument where they are few. */
  readonly choices: readonly string[];
  readonly children: readonly Child[];
}

/** A subcommand, by one of its names. */
interface Child {
  readonly name: string;
  readonly description: string;
}

/** The values of flags that have few. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--hall': HALLS,
  '--destination': ['raw', 'wiki'],
  '--half-life': HALF_LIVES,
  '--applies': APPLIES,
  '--claim-provenance': CLAIM_PROVENANCES,
  '--source-type': ['internal', 'external'],
  '--status': ['wiki', 'knowledge', 'raw', 'vault', 'attachment'],
  '--origin': ORIGINS,
};

/** Adds `brain completion`: a script that completes commands and flags, for each shell. */
export function addCompletionCommand(program: Command, io: Io): void {
  program
    .command('completion')
    .description('print a script that completes commands and flags in your shell')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(SHELLS))
    .addHelpText(
      'after',
      `
To load it at every start of the shell:
  bash  echo 'source <(brain completion bash)' >> ~/.bashrc
  zsh   brain completion zsh > "\${fpath[1]}/_brain"
  fish  brain completion fish > ~/.config/fish/completions/brain.fish`,
    )
    .action((shell: Shell) => {
      io.stdout.write(completionScript(program, shell));
    });
}

/** Returns the completion script of a shell for all commands and flags of the program. */
function completionScript(program: Command, shell: Shell): string {
  const entries = entriesOf(program);
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  return `${scripts[shell](entries).join('\n')}\n`;
}

function entriesOf(program: Command): Entry[] {
  const globals = flagsOf(program).filter(({ long }) => long !== '--version');
  return treeOf(program).map((command) => {
    const spellings = spellingsOf(command);
    const own = flagsOf(command);
    return {
      words: spellings[0] ?? '',
      spellings,
      description: command.description(),
      flags: command === program ? own : [...own, ...globals.filter(({ long }) => long !== '--help')],
      choices: command.registeredArguments[0]?.argChoices ?? [],
      children: [
        ...command.commands.flatMap((child) =>
          [child.name(), ...child.aliases()].map((name) => ({ name, description: child.description() })),
        ),
        ...(command === program ? [{ name: 'help', description: 'display help for a command' }] : []),
      ],
    };
  });
}

/** Returns the words of a command after the program's name, with each of its aliases; the usual ones first. */
function spellingsOf(command: Command): string[] {
  if (command.parent === null) return [''];
  const names = [command.name(), ...command.aliases()];
  return spellingsOf(command.parent).flatMap((before) => names.map((name) => `${before} ${name}`.trim()));
}

function flagsOf(command: Command): Flag[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap((option: Option): Flag[] => {
      const { long, short, description } = option;
      if (long === undefined || long === null) return [];
      const value =
        option.required || option.optional ? (/[<[]([^>\]]+)/.exec(option.flags)?.[1] ?? '') : null;
      return [{ long, short: short ?? null, value, description }];
    });
}

function namesOf({ long, short }: Flag): string[] {
  return short === null ? [long] : [short, long];
}

/** Returns the names of all flags with a value, once each. */
function flagsWithValues(entries: readonly Entry[]): string[] {
  const flags = entries.flatMap(({ flags }) => flags).filter(({ value }) => value !== null);
  return [...new Set(flags.flatMap(namesOf))].sort();
}

function bashScript(entries: readonly Entry[]): string[] {
  const withValues = flagsWithValues(entries);
  const known = withValues.filter((flag) => VALUES[flag] !== undefined);
  return [
    '# Completion of brain for bash. Load it with: source <(brain completion bash)',
    '_brain() {',
    '  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} at= offered= i',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    case ${COMP_WORDS[i]} in',
    `      ${withValues.join(' | ')}) ((i++)); continue ;;`,
    '    esac',
    '    case "$at ${COMP_WORDS[i]}" in',
    ...entries
      .filter(({ words }) => words !== '')
      .map(({ words, spellings }) => {
        const patterns = spellings.map((each) => `'${each.includes(' ') ? each : ` ${each}`}'`);
        return `      ${patterns.join(' | ')}) at='${words}' ;;`;
      }),
    '    esac',
    '  done',
    '  case $prev in',
    ...known.map(
      (flag) => `    ${flag}) COMPREPLY=($(compgen -W '${VALUES[flag]?.join(' ')}' -- "$cur")); return ;;`,
    ),
    `    ${withValues.filter((flag) => !known.includes(flag)).join(' | ')}) return ;;`,
    '  esac',
    '  case $at in',
    ...entries.map(({ words, children, choices, flags }) => {
      const offered = [...children.map(({ name }) => name), ...choices, ...flags.flatMap(namesOf)];
      return `    '${words}') offered='${offered.join(' ')}' ;;`;
    }),
    '  esac',
    '  COMPREPLY=($(compgen -W "$offered" -- "$cur"))',
    '}',
    '# Where nothing matches, files are completed.',
    'complete -o bashdefault -o default -F _brain brain',
  ];
}

function zshScript(entries: readonly Entry[]): string[] {
  return [
    '#compdef brain',
    '# Completion of brain for zsh. Load it with: source <(brain completion zsh)',
    ...entries.flatMap((entry) => zshFunction(entry, entries)),
    'if [[ $funcstack[1] == _brain ]]; then _brain "$@"; else compdef _brain brain; fi',
  ];
}

function zshFunction({ words, flags, children, choices }: Entry, entries: readonly Entry[]): string[] {
  const specs = flags.map((flag) => {
    const { long, short, value, description } = flag;
    const values = VALUES[long];
    const tail = value === null ? '' : `:${zshText(value)}:${values ? `(${values.join(' ')})` : '_files'}`;
    const text = `[${zshText(description)}]${tail}`;
    return short === null ? `'${long}${text}'` : `'(${short} ${long})'{${short},${long}}'${text}'`;
  });
  const name = zshName(words);
  if (children.length === 0) {
    const rest = choices.length > 0 ? `'1: :(${choices.join(' ')})'` : `'*: :_files'`;
    return [`${name}() {`, `  _arguments -s ${[...specs, rest].join(' \\\n    ')}`, '}'];
  }
  const inside = entries.filter((entry) => parentOf(entry.words) === words && entry.words !== '');
  const last = (spelling: string): string => spelling.split(' ').at(-1) ?? '';
  return [
    `${name}() {`,
    '  local state line curcontext=$curcontext',
    '  typeset -A opt_args',
    `  _arguments -s -C ${[...specs, `'1: :->command'`, `'*:: :->argument'`].join(' \\\n    ')}`,
    '  case $state in',
    '    command)',
    `      local -a commands=(${children.map((each) => `'${each.name}:${zshText(each.description)}'`).join(' ')})`,
    '      _describe command commands ;;',
    '    argument)',
    '      case $words[1] in',
    ...inside.map(
      (entry) => `        ${[...new Set(entry.spellings.map(last))].join('|')}) ${zshName(entry.words)} ;;`,
    ),
    '      esac ;;',
    '  esac',
    '}',
  ];
}

function zshName(words: string): string {
  return `_brain${words === '' ? '' : `_${words.replaceAll(/[ -]/g, '_')}`}`;
}

function parentOf(words: string): string {
  return words.split(' ').slice(0, -1).join(' ');
}

/** Returns text for a specification of zsh, where colons and brackets have a meaning, within single quotes. */
function zshText(text: string): string {
  return text
    .replaceAll(':', '')
    .replaceAll(/[[\]\\]/g, '\\$&')
    .replaceAll("'", "'\\''");
}

function fishScript(entries: readonly Entry[]): string[] {
  const known = entries.flatMap(({ spellings }) => spellings).filter((words) => words !== '');
  return [
    '# Completion of brain for fish. Load it with: brain completion fish | source',
    '# True when the words before the cursor name one of these commands.',
    'function __brain_is',
    `  set -l known ${known.map(fishText).join(' ')}`,
    `  set -l at ''`,
    '  set -l given (commandline -opc)',
    '  set -e given[1]',
    '  for word in $given',
    `    string match -q -- '-*' $word; and continue`,
    '    set -l next (string trim -- "$at $word")',
    '    contains -- $next $known; or break',
    '    set at $next',
    '  end',
    '  contains -- "$at" $argv',
    'end',
    ...entries.flatMap(({ spellings, flags, children, choices }) => {
      const where = `complete -c brain -n ${fishText(`__brain_is ${spellings.map(fishText).join(' ')}`)}`;
      return [
        ...children.map(({ name, description }) => `${where} -f -a ${name} -d ${fishText(description)}`),
        ...(choices.length > 0 ? [`${where} -f -a ${fishText(choices.join(' '))}`] : []),
        ...flags.map((flag) => `${where} ${fishFlag(flag)}`),
      ];
    }),
  ];
}

function fishFlag({ long, short, value, description }: Flag): string {
  const values = VALUES[long];
  return [
    `-l ${long.slice(2)}`,
    ...(short === null ? [] : [`-s ${short.slice(1)}`]),
    ...(value === null ? [] : ['-r']),
    ...(values === undefined ? [] : [`-f -a ${fishText(values.join(' '))}`]),
    `-d ${fishText(description)}`,
  ].join(' ');
}

function fishText(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
