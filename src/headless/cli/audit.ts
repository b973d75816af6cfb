import type { Command } from 'commander';
import { FailedAnswer, type Io } from '../terminal/io';
import { counted, printable } from '../terminal/output';
import { vaultFolder } from '../terminal/program';
import { wantsJson } from './ask';

/** Adds `brain audit verify`: it reads the files themselves, so it needs no server and trusts none. */
export function addAuditCommand(program: Command, io: Io): void {
  const audit = program.command('audit').description('check the record of what agents did');
  audit
    .command('verify')
    .description('follow the chain of the audit files; ends with 1 when a line is missing or was changed')
    .option('--vault <dir>', 'folder of the vault (default: BRAIN_VAULT, else ./brain)')
    .addHelpText(
      'after',
      `
The files alone cannot tell that lines are missing at their end. A running server knows the last line that it has
written: ask "${io.command} doctor".`,
    )
    .action(async (_: unknown, command: Command) => {
      const { vault } = command.opts<{ readonly vault?: string }>();
      const root = vaultFolder(vault, io.env);
      const { verifyVault } = await import('./verify-vault');
      const report = await verifyVault(root);
      const found = report.problems.map(({ file, line, problem }) => `${file}:${line}: ${problem}`);
      const total = `${counted(report.lines, 'line')} in ${counted(report.files.length, 'file')}`;
      const { files, lines: count, problems } = report;
      const answer = { files, lines: count, problem_count: problems.length, problems };
      const lines = wantsJson(command) ? [JSON.stringify(answer)] : [...found.map(printable), total];
      io.stdout.write(`${lines.join('\n')}\n`);
      if (found.length > 0)
        throw new FailedAnswer(`The audit chain has ${counted(found.length, 'problem')}.`);
    });
}
