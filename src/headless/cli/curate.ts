import type { Command } from 'commander';
import type { listPending } from '../../core/review/pending';
import type { promoteNote } from '../../core/review/promote';
import type { rebuildTunnels } from '../../core/review/tunnels';
import { type Answer, clientFrom } from '../terminal/client';
import type { Io } from '../terminal/io';
import { counted, oneLine, remarks, show, stamp } from '../terminal/output';
import { wholeNumber } from './arguments';

interface Json {
  readonly json?: boolean;
}

interface PendingOptions extends Json {
  readonly limit?: number;
}

interface PromoteOptions extends Json {
  readonly wing: string;
  readonly hall: string;
  readonly slug?: string;
  readonly expectedHash?: string;
  readonly dryRun?: boolean;
}

interface TunnelsOptions extends Json {
  readonly wing?: string;
  readonly dryRun?: boolean;
}

interface RejectOptions extends Json {
  readonly reason?: string;
  readonly expectedHash?: string;
}

/**
 * Adds `brain pending`, `promote`, `reject`, `index` and `tunnels`: the review queue, the maps of the wings and the links
 * between wings.
 */
export function addCurateCommands(program: Command, io: Io): void {
  program
    .command('pending')
    .description('list the notes that await review, oldest first')
    .option('--limit <n>', 'at most so many', wholeNumber)
    .action(async (_: unknown, command: Command) => {
      const { limit, json } = command.optsWithGlobals<PendingOptions>();
      const client = await clientFrom(io);
      const reply = await client.call('pending', { limit });
      show(io.stdout, json === true, reply, describePending);
    });

  program
    .command('promote')
    .description('move a note from the review queue into the wiki')
    .argument('<path>', 'the note, such as raw/2026-11-20-router.md')
    .requiredOption('--wing <wing>', 'topic it belongs to')
    .requiredOption('--hall <hall>', 'facts, decisions, failures, hypotheses or sources')
    .option('--slug <slug>', 'file name in the wiki (default: the name without its date)')
    .option('--expected-hash <sha>', 'refuse when the note is not at this version any more')
    .option('--dry-run', 'say what would happen, change nothing')
    .addHelpText(
      'after',
      '\nExample:\n  $ brain promote raw/2026-11-20-router.md --wing homelab --hall facts --slug router-firmware',
    )
    .action(async (path: string, _: unknown, command: Command) => {
      const { wing, hall, slug, expectedHash, dryRun, json } = command.optsWithGlobals<PromoteOptions>();
      const client = await clientFrom(io);
      const reply = await client.call('promote', {
        path,
        wing,
        hall,
        slug,
        expected_hash: expectedHash,
        dry_run: dryRun,
      });
      show(io.stdout, json === true, reply, (promoted) => describePromote(promoted, dryRun === true));
    });

  program
    .command('reject')
    .description('decline a note of the review queue; it is kept in raw/rejected/')
    .argument('<path>', 'the note, such as raw/2026-11-20-router.md')
    .option('--reason <text>', 'why; kept with the note')
    .option('--expected-hash <sha>', 'refuse when the note is not at this version any more')
    .action(async (path: string, _: unknown, command: Command) => {
      const { reason, expectedHash, json } = command.optsWithGlobals<RejectOptions>();
      const client = await clientFrom(io);
      const reply = await client.call('reject', {
        path,
        reason,
        expected_hash: expectedHash,
      });
      show(io.stdout, json === true, reply, (rejected) => [
        `Rejected ${rejected.path}`,
        `  kept as: ${rejected.rejected_path}`,
        ...rejected.linked_from.map((from) => `  still linked from: ${from}`),
      ]);
    });

  program
    .command('index')
    .description('rebuild the _index.md of one wing, or of all')
    .argument('[wing]', 'only this wing')
    .action(async (wing: string | undefined, _: unknown, command: Command) => {
      const { json } = command.optsWithGlobals<Json>();
      const client = await clientFrom(io);
      const reply = await client.call('index', { wing });
      show(io.stdout, json === true, reply, ({ wings }) =>
        wings.length === 0
          ? ['There are no wings yet.']
          : wings.map(
              (one) =>
                `${one.path}  ${counted(one.notes, 'note')}, ${one.changed ? 'rebuilt' : 'up to date'}`,
            ),
      );
    });

  program
    .command('tunnels')
    .description('dig the tunnels of promoted notes to other wings anew')
    .option('--wing <wing>', 'only notes of this wing')
    .option('--dry-run', 'say what would happen, change nothing')
    .action(async (_: unknown, command: Command) => {
      const { wing, dryRun, json } = command.optsWithGlobals<TunnelsOptions>();
      const client = await clientFrom(io);
      const reply = await client.call('tunnels', { wing, dry_run: dryRun });
      show(io.stdout, json === true, reply, (rebuilt) => describeTunnels(rebuilt, dryRun === true));
    });
}

function describePending({ pending, total }: Answer<typeof listPending>): string[] {
  if (total === 0) return ['Nothing awaits review.'];
  const entries = pending.flatMap((entry) => {
    const facts = [
      `${entry.age_days} d old`,
      stamp(entry),
      entry.stale ? 'stale' : '',
      entry.rejected_before ? 'rejected before' : '',
    ];
    return [
      `${entry.path}  ${oneLine(entry.title)}`,
      `  ${oneLine(facts.filter(Boolean).join(' · '))}`,
      `  ${oneLine(entry.excerpt)}`,
      `  suggested: ${oneLine(suggestion(entry.suggested))}`,
      ...entry.similar.map(({ path, stale }) => `  similar: ${path}${stale ? ' (stale)' : ''}`),
      ...remarks(entry),
    ];
  });
  const shown = pending.length < total ? `, ${pending.length} shown` : '';
  return [`${counted(total, 'note')} to review${shown}`, ...entries];
}

type Suggested = Answer<typeof listPending>['pending'][number]['suggested'];

/** Returns the suggested address, or the known parts of it. */
function suggestion({ wing, hall, slug }: Suggested): string {
  if (wing !== undefined && hall !== undefined) return `${wing}/${hall}/${slug}`;
  const known = Object.entries({ wing, hall, slug }).filter(([, part]) => part !== undefined);
  return known.map(([name, part]) => `${name} ${part}`).join(', ');
}

function describePromote(promoted: Answer<typeof promoteNote>, dryRun: boolean): string[] {
  return [
    `${dryRun ? 'Would promote' : 'Promoted'} ${promoted.from} to ${promoted.path}`,
    `  hash: ${promoted.content_hash}`,
    ...promoted.tunnels.map((tunnel) => `  tunnel: ${tunnel.path} (${tunnel.reason})`),
    ...remarks(promoted),
  ];
}

function describeTunnels(rebuilt: Answer<typeof rebuildTunnels>, dryRun: boolean): string[] {
  return [
    `${counted(rebuilt.scanned, 'note')}, ${rebuilt.changed} ${dryRun ? 'would change' : 'changed'}`,
    ...rebuilt.notes.flatMap(({ path, tunnels }) => [
      path,
      ...tunnels.map((tunnel) => `  tunnel: ${tunnel.path} (${tunnel.reason})`),
    ]),
    ...remarks(rebuilt),
  ];
}
