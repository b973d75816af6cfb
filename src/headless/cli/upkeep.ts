import { Argument, type Command } from 'commander';
import type { replaceNote } from '../../core/review/replace';
import type { Answer } from '../terminal/client';
import type { Io } from '../terminal/io';
import { counted, type Line, oneLine, remarks, styled } from '../terminal/output';
import { ask, fieldsOf } from './ask';

/** Adds `brain replace`, `confirm` and `move`: what a person does with notes of the wiki that are out of date; and `attachments`. */
export function addUpkeepCommands(program: Command, io: Io): void {
  program
    .command('replace')
    .description('give a note of the wiki the text of a queued note; "brain unpromote" takes it back')
    .argument('<path>', 'the queued note, such as raw/2026-11-20-router.md')
    .argument('<replaces>', 'the note that gets its text, such as wiki/homelab/facts/router.md')
    .requiredOption('--reason <text>', 'why; kept with the note')
    .option('--expected-hash <sha>', 'refuse when the queued note is not at this version any more')
    .option('--replaced-hash <sha>', 'refuse when the other note is not at this version any more')
    .option('--dry-run', 'say what would happen, change nothing')
    .action((path: string, replaces: string, _: unknown, command: Command) =>
      ask(io, command, 'replace', { path, replaces, ...fieldsOf(command) }, describeReplaced),
    );

  program
    .command('confirm')
    .description('say that a note still holds: its half-life counts from now')
    .argument('<path>', 'the note, such as wiki/homelab/facts/router.md')
    .option('--expected-hash <sha>', 'refuse when the note is not at this version any more')
    .option('--dry-run', 'say what would happen, change nothing')
    .action((path: string, _: unknown, command: Command) =>
      ask(io, command, 'confirm', { path, ...fieldsOf(command) }, (confirmed, dryRun) => [
        [styled('green', dryRun ? 'Would confirm' : 'Confirmed'), ` ${oneLine(confirmed.path)}`],
        ...remarks(confirmed),
      ]),
    );

  program
    .command('move')
    .description('move a note of the wiki to another hall, wing or name; links to it follow')
    .argument('<path>', 'the note, such as wiki/homelab/facts/router.md')
    .option('--wing <wing>', 'the new wing')
    .option('--hall <hall>', 'the new hall, such as hypotheses')
    .option('--slug <slug>', 'the new file name without .md')
    .option('--expected-hash <sha>', 'refuse when the note is not at this version any more')
    .option('--dry-run', 'say what would happen, change nothing')
    .action((path: string, _: unknown, command: Command) =>
      ask(io, command, 'move', { path, ...fieldsOf(command) }, (moved, dryRun) => [
        [
          styled('green', dryRun ? 'Would move' : 'Moved'),
          ` ${oneLine(moved.from)} to ${oneLine(moved.path)}`,
        ],
        ...(moved.relinked === 0 ? [] : [`  ${counted(moved.relinked, 'note')} with a link to it`]),
        ...remarks(moved),
      ]),
    );

  program
    .command('mend-links')
    .description('lead links to notes that were moved by hand, in notes of yours and on canvases too')
    .option('--dry-run', 'say what would happen, change nothing')
    .action((_: unknown, command: Command) =>
      ask(io, command, 'mendLinks', fieldsOf(command), (mended, dryRun) => [
        mended.relinked.length === 0
          ? 'No note that was moved by hand has left a link behind.'
          : [
              styled('green', dryRun ? 'Would change' : 'Changed'),
              ` ${mended.relinked.map(oneLine).join(', ')}`,
            ],
        ...remarks(mended),
      ]),
    );

  program
    .command('attachments')
    .description('have the words of PDF files and canvases in the vault searched, or forget them')
    .addArgument(new Argument('<choice>', 'whether they are searched').choices(['on', 'off']))
    .action((choice: string, _: unknown, command: Command) =>
      ask(io, command, 'chooseAttachments', { read: choice === 'on' }, ({ read, files }) => [
        read
          ? `${counted(files, 'file')} of these kinds ${files === 1 ? 'is' : 'are'} searched, as soon as the server has read them.`
          : 'PDF files and canvases are not searched.',
        ...(read === (choice === 'on') ? [] : ['BRAIN_ATTACHMENTS of the server says so.']),
      ]),
    );
}

function describeReplaced(replaced: Answer<typeof replaceNote>, dryRun: boolean): Line[] {
  return [
    [
      styled('green', dryRun ? 'Would replace' : 'Replaced'),
      ` ${oneLine(replaced.path)} with ${oneLine(replaced.from)}`,
    ],
    `  version before: ${replaced.previous_hash}`,
    ...remarks(replaced),
  ];
}
