import type { Command } from 'commander';
import { contextText } from '../../core/context/text';
import type { Io } from '../terminal/io';
import { wholeNumber } from './arguments';
import { ask, fieldsOf } from './ask';

/** Adds `brain context`: what is known that a task begins or goes on with. */
export function addContextCommand(program: Command, io: Io): void {
  program
    .command('context')
    .description('say what a task needs: guidance, progress, open items, decisions, failures and facts')
    .option('--task <text>', 'what is to be done; what is found for it comes first')
    .option('--wing <wing>', 'only notes of this wing')
    .option('--max-tokens <n>', 'at most <n> tokens, from 200 to 8000 (default: 2000)', wholeNumber)
    .addHelpText(
      'after',
      `
Example:
  $ brain context --task 'migrate the NAS to ZFS' --wing homelab`,
    )
    .action(async (_: unknown, command: Command) => {
      await ask(io, command, 'context', fieldsOf(command), (answer) => contextText(answer).split('\n'));
    });
}
