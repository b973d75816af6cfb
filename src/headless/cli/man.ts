import type { Command } from 'commander';
import type { Io } from '../terminal/io';
import { VERSION } from '../terminal/program';
import { treeOf } from './words';

/** Adds `brain man`: the manual page, which the build also puts beside the program. */
export function addManCommand(program: Command, io: Io): void {
  program
    .command('man')
    .description('print the manual page, for man')
    .addHelpText('after', '\nExample:\n  $ brain man | man -l -')
    .action(() => {
      io.stdout.write(manPage(program));
    });
}

/** Returns the manual page of all commands, in the macros of man(7). */
function manPage(program: Command): string {
  const [, ...commands] = treeOf(program);
  const lines = [
    `.TH BRAIN 1 "" "Brain Server ${VERSION}" "User Commands"`,
    '.SH NAME',
    `brain \\- ${roff(plainEnd(program.description()))}`,
    '.SH SYNOPSIS',
    '.B brain',
    '.I command',
    '[options]',
    '.SH OPTIONS',
    'They go with every command.',
    ...optionLines(program),
    '.SH COMMANDS',
    ...commands.flatMap((command) => commandLines(command)),
    '.SH NOTES',
    ...literal(afterHelp(program)),
    '.SH SEE ALSO',
    'README.md and docs/interfaces.md of Brain Server.',
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines(command: Command): string[] {
  const help = command.createHelp();
  const usage = help.commandUsage(command).replace(' [options]', '').replace(' [command]', '');
  return [
    `.SS ${quoted(usage)}`,
    roff(sentence(command.description())),
    ...help
      .visibleArguments(command)
      .flatMap((argument) => ['.TP', `.I ${roff(argument.name())}`, roff(argument.description)]),
    ...optionLines(command),
    ...literal(afterHelp(command)),
  ];
}

function optionLines(command: Command): string[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => command.parent === null || long !== '--help')
    .flatMap(({ flags, description }) => ['.TP', `.B ${roff(flags)}`, roff(description)]);
}

/** Returns what follows the generated part of a command's help: notes and examples. */
function afterHelp(command: Command): string {
  let text = '';
  const before = command.configureOutput();
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  command.configureOutput(before);
  const generated = command.helpInformation();
  return text.slice(text.indexOf(generated) + generated.length).trim();
}

function literal(text: string): string[] {
  return text === '' ? [] : ['.PP', '.nf', ...text.split('\n').map(roff), '.fi'];
}

/** Returns text for a line of roff: a backslash, a hyphen, and a dot or quote at the start have a meaning there. */
function roff(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/, '\\&$&');
}

function quoted(text: string): string {
  return `"${roff(text).replaceAll('"', '\\(dq')}"`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${plainEnd(text).slice(1)}.`;
}

function plainEnd(text: string): string {
  return text.replace(/\.$/, '');
}
