import type { Command } from 'commander';
import type { status } from '../../core/status/status';
import { type Answer, clientFrom } from '../terminal/client';
import { FailedAnswer, type Io } from '../terminal/io';
import { counted, type Line, oneLine, show, styled } from '../terminal/output';
import { wantsJson } from './ask';

type Status = Answer<typeof status>;
type Check = Status['checks'][number];

/** Adds `brain doctor`: the checks of the running server, the worst first, with their fixes. */
export function addDoctorCommand(program: Command, io: Io): void {
  program
    .command('doctor')
    .description('look at every part of the running server; ends with 1 when something failed')
    .action(async (_: unknown, command: Command) => {
      const client = await clientFrom(io);
      const reply = await client.call('status', { probe: true });
      show(io, wantsJson(command), reply, doctorLines);
      const failed = having(reply.value, 'failed').length;
      if (failed > 0) throw new FailedAnswer(`${counted(failed, 'check')} failed.`);
    });
}

const MARKS: Readonly<Record<Check['state'], string>> = { failed: 'FAILED', warning: 'LOOK', ok: 'ok' };
const STYLES = { failed: 'red', warning: 'yellow', ok: 'green' } as const;
const WIDTH = 7;

/** Returns the checks as lines of text; a failed one is followed by its fix. */
export function doctorLines(found: Pick<Status, 'version' | 'checks'>): Line[] {
  const sorted = (['failed', 'warning', 'ok'] as const).flatMap((state) => having(found, state));
  const below = ' '.repeat(WIDTH + 1);
  return [
    `Brain Server ${found.version}`,
    ...sorted.flatMap(({ name, state, message, fix, command }): Line[] => [
      [styled(STYLES[state], MARKS[state].padEnd(WIDTH)), ` ${oneLine(name)}: ${oneLine(message)}`],
      ...(fix === undefined ? [] : [`${below}${oneLine(fix)}`]),
      ...(command === undefined ? [] : [`${below}$ ${oneLine(command)}`]),
    ]),
  ];
}

function having({ checks }: Pick<Status, 'checks'>, state: Check['state']): Check[] {
  return checks.filter((check) => check.state === state);
}
