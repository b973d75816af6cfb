import type { Command } from 'commander';
import type { replaceNote } from '../../core/review/replace';
import { type Answer, clientFrom } from '../terminal/client';
import type { Io } from '../terminal/io';
import { counted, type Line, oneLine, remarks, show, styled } from '../terminal/output';

interface DryRun {
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly expectedHash?: string;
}

interface ReplaceOptions extends DryRun {
  readonly reason: string;
  readonly replacedHash?: string;
}

interface MoveOptions extends DryRun {
  readonly wing?: string;
  readonly hall?: string;
  readonly slug?: string;
}

/** Adds `brain replace`, `confirm` and `move`: what a person does with notes of the wiki that are out of date. */
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
    .action(async (path: string, replaces: string, _: unknown, command: Command) => {
      const { reason, expectedHash, replacedHash, dryRun, json } = command.optsWithGlobals<ReplaceOptions>();
      const client = await clientFrom(io);
      const reply = await client.call('replace', {
        ...{ path, replaces, reason },
        expected_hash: expectedHash,
        replaced_hash: replacedHash,
        dry_run: dryRun,
      });
      show(io, json === true, reply, (replaced) => describeReplaced(replaced, dryRun === true));
    });

  program
    .command('confirm')
    .description('say that a note still holds: its half-life counts from now')
    .argument('<path>', 'the note, such as wiki/homelab/facts/router.md')
    .option('--expected-hash <sha>', 'refuse when the note is not at this version any more')
    .option('--dry-run', 'say what would happen, change nothing')
    .action(async (path: string, _: unknown, command: Command) => {
      const { expectedHash, dryRun, json } = command.optsWithGlobals<DryRun>();
      const client = await clientFrom(io);
      const reply = await client.call('confirm', { path, expected_hash: expectedHash, dry_run: dryRun });
      show(io, json === true, reply, (confirmed) => [
        [styled('green', dryRun === true ? 'Would confirm' : 'Confirmed'), ` ${oneLine(confirmed.path)}`],
        ...remarks(confirmed),
      ]);
    });

  program
    .command('move')
    .description('move a note of the wiki to another hall, wing or name; links to it follow')
    .argument('<path>', 'the note, such as wiki/homelab/facts/router.md')
    .option('--wing <wing>', 'the new wing')
    .option('--hall <hall>', 'the new hall, such as hypotheses')
    .option('--slug <slug>', 'the new file name without .md')
    .option('--expected-hash <sha>', 'refuse when the note is not at this version any more')
    .option('--dry-run', 'say what would happen, change nothing')
    .action(async (path: string, _: unknown, command: Command) => {
      const { wing, hall, slug, expectedHash, dryRun, json } = command.optsWithGlobals<MoveOptions>();
      const client = await clientFrom(io);
      const place = { wing, hall, slug };
      const reply = await client.call('move', {
        path,
        ...place,
        expected_hash: expectedHash,
        dry_run: dryRun,
      });
      show(io, json === true, reply, (moved) => [
        [
          styled('green', dryRun === true ? 'Would move' : 'Moved'),
          ` ${oneLine(moved.from)} to ${oneLine(moved.path)}`,
        ],
        ...(moved.relinked === 0 ? [] : [`  ${counted(moved.relinked, 'note')} with a link to it`]),
        ...remarks(moved),
      ]);
    });
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
