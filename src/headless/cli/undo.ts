import type { Command } from 'commander';
import type { listUndos } from '../../core/undo/record';
import type { redo } from '../../core/undo/redo';
import type { undoWriter } from '../../core/undo/undo';
import { type Answer, clientFrom } from '../terminal/client';
import { CommandError, type Io, UsageError } from '../terminal/io';
import { counted, type Line, oneLine, remarks, show } from '../terminal/output';
import { ask, wantsJson } from './ask';

interface UndoOptions {
  readonly by?: string;
  readonly since?: string;
  readonly apply?: boolean;
  readonly plan?: string;
}

/** The timeout of an undo (ms): a thousand notes and their maps are written and synced in one go. */
const TIMEOUT_MS = 600_000;

/** Adds `brain undo`: it undoes what one writer has done since a time; without --apply it only lists it. */
export function addUndoCommands(program: Command, io: Io): void {
  const undo = program
    .command('undo')
    .description('take back everything that one writer has done since a time')
    .option('--by <writer>', 'whole name of a token, or a whole written_by such as "human:me"')
    .option('--since <time>', 'a time, a date, or a span back from now such as 24h or 7d')
    .option('--apply', 'do it; without this the list of what would happen is printed')
    .option('--plan <hash>', 'with --apply: refuse when the list is not the one with this hash any more')
    .addHelpText(
      'after',
      `
Notes go back to the last version that is not of these doings, or to the review queue when they have none.
Notes that others have changed since are listed and left. Nothing is lost, and "${io.command} undo back" takes it back.

Examples:
  $ brain undo --by intern --since 24h
  $ brain undo --by intern --since 2026-11-20T10:00:00Z --apply`,
    )
    .action(async (_: unknown, command: Command) => {
      const { by, since, apply = false, plan } = command.opts<UndoOptions>();
      const json = wantsJson(command);
      if (by === undefined || since === undefined) {
        throw new UsageError(
          `Say whose doings, and from when on: ${io.command} undo --by <writer> --since <time>`,
        );
      }
      if (plan !== undefined && !apply) throw new UsageError('Give --plan together with --apply.');
      const client = await clientFrom(io);
      const undone = (more: object) => client.call('undo', { by, since, ...more }, TIMEOUT_MS);
      if (!apply) {
        show(io, json, await undone({ dry_run: true }), describePlan);
        return;
      }
      const seen = plan ?? (await undone({ dry_run: true })).value.plan;
      const reply = await undone({ plan: seen }).catch(movedOn);
      show(io, json, reply, (answer) => describeUndone(answer, io.command));
    });

  undo
    .command('list')
    .description('list what was undone, newest first')
    .action((_: unknown, command: Command) => ask(io, command, 'undos', {}, describeList));

  undo
    .command('back')
    .description('take an undo back: notes that nobody has changed since are as they were before it')
    .argument('<undo>', 'as the undo, or the list, names it')
    .action((undo: string, _: unknown, command: Command) =>
      ask(io, command, 'undoBack', { undo }, describeBack, TIMEOUT_MS),
    );
}

/** Rewords the service's error, whose fields have other names here. */
function movedOn(error: unknown): never {
  if (!(error instanceof CommandError) || error.code !== 'hash_mismatch') throw error;
  throw new CommandError(
    'What would be undone is not what you looked at any more, and nothing was done. Look again without --apply, and give the --plan of that list.',
    error.code,
    error.body,
  );
}

type Undone = Answer<typeof undoWriter>;

function describePlan(answer: Undone): string[] {
  const { by, since, count, plan } = answer;
  if (count === 0) return [`Nothing to undo of ${by} since ${since}.`, ...leftLines(answer)];
  return [
    `Would undo ${counted(count, 'note')} of ${by} since ${since}:`,
    ...itemLines(answer),
    ...leftLines(answer),
    `Nothing was changed. Do it with: --apply --plan ${plan}`,
  ];
}

function describeUndone(answer: Undone, program: string): Line[] {
  const { by, since, count, undo } = answer;
  if (undo === undefined) return [`Nothing to undo of ${by} since ${since}.`, ...leftLines(answer)];
  return [
    `Undid ${counted(count, 'note')} of ${by} since ${since}:`,
    ...itemLines(answer),
    ...leftLines(answer),
    ...remarks(answer),
    `Take it back with: ${program} undo back ${undo}`,
  ];
}

function itemLines({ items, rest }: Undone): string[] {
  const lines = items.flatMap(({ path, to, why, linked_from: links }) => [
    `  ${oneLine(path)}${to === undefined ? '' : ` -> ${oneLine(to)}`}`,
    `    ${oneLine(why)}`,
    ...links.map((link) => `    linked from: ${oneLine(link)}`),
  ]);
  return rest > 0 ? [...lines, `  and ${counted(rest, 'more note')}: run it again for them`] : lines;
}

function leftLines({ left, left_count: count }: Undone): string[] {
  if (count === 0) return [];
  return [
    `Left as they are: ${counted(count, 'note')}`,
    ...left.map(({ path, why }) => `  ${oneLine(path)} ${oneLine(why)}`),
  ];
}

function describeList({ undos }: Answer<typeof listUndos>): string[] {
  if (undos.length === 0) return ['Nothing was undone yet.'];
  return undos.map(({ undo, at, by, since, actor, notes, taken_back: back }) =>
    oneLine(
      `${undo}  ${at}  ${by} since ${since}, ${counted(notes, 'note')}, by ${actor}${back === undefined ? '' : `; taken back ${back}`}`,
    ),
  );
}

function describeBack({ restored, left, warnings }: Answer<typeof redo>): Line[] {
  return [
    `${counted(restored.length, 'note')} as before the undo`,
    ...restored.map((path) => `  ${oneLine(path)}`),
    ...left.map(({ path, why }) => `  left: ${oneLine(path)} ${oneLine(why)}`),
    ...remarks({ warnings }),
  ];
}
