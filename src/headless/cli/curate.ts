import type { Command } from 'commander';
import type { listDecisions } from '../../core/review/decisions';
import type { listPending } from '../../core/review/pending';
import type { restoreNote } from '../../core/review/return';
import type { rebuildTunnels } from '../../core/review/tunnels';
import type { Answer } from '../terminal/client';
import type { Io } from '../terminal/io';
import { counted, type Line, oneLine, readingLines, remarks, stamp, styled } from '../terminal/output';
import { wholeNumber } from './arguments';
import { ask, fieldsOf } from './ask';
import { moreLine } from './list';

/**
 * Adds `brain pending`, `withdraw`, `reject`, `snooze`, `restore`, `unpromote`, `index` and `tunnels`: the review queue, the maps of the wings and
 * the links between wings.
 */
export function addCurateCommands(program: Command, io: Io): void {
  program
    .command('pending')
    .description('list the notes that await review, oldest first')
    .option('--limit <n>', 'at most <n> notes, up to 200', wholeNumber)
    .option('--offset <n>', 'leave out the first <n>', wholeNumber)
    .option('--mine', 'only what you have proposed, with what was decided about it and why')
    .action((_: unknown, command: Command) => {
      const fields = fieldsOf<{ readonly offset?: number }>(command);
      return ask(io, command, 'pending', fields, (listed) =>
        listed.proposals === undefined
          ? describePending(listed, fields.offset ?? 0)
          : [
              ...listed.proposals.map(describeProposal),
              ...moreLine('note', { shown: listed.count, total: listed.total, offset: fields.offset ?? 0 }),
            ],
      );
    });

  program
    .command('withdraw')
    .description('take back a note of the review queue that you have proposed')
    .argument('<path>', 'the note, such as raw/2026-11-20-router.md')
    .option('--reason <text>', 'why; kept with the note')
    .option('--expected-hash <sha>', 'refuse when the note is not at this version any more')
    .action((path: string, _: unknown, command: Command) =>
      ask(io, command, 'withdraw', { path, ...fieldsOf(command) }, (withdrawn) => [
        `Withdrew ${withdrawn.path}`,
        `  kept as: ${withdrawn.rejected_path}`,
      ]),
    );

  program
    .command('reject')
    .description('decline a note of the review queue; it is kept in raw/rejected/')
    .argument('<path>', 'the note, such as raw/2026-11-20-router.md')
    .option('--reason <text>', 'why; kept with the note')
    .option('--expected-hash <sha>', 'refuse when the note is not at this version any more')
    .action((path: string, _: unknown, command: Command) =>
      ask(io, command, 'reject', { path, ...fieldsOf(command) }, (rejected) => [
        `Rejected ${rejected.path}`,
        `  kept as: ${rejected.rejected_path}`,
        ...rejected.linked_from.map((from) => `  still linked from: ${from}`),
      ]),
    );

  addSnoozeCommand(program, io);
  addReturnCommands(program, io);
  addDecisionsCommand(program, io);

  program
    .command('index')
    .description('rebuild the _index.md of one wing, or of all')
    .argument('[wing]', 'only this wing')
    .action((wing: string | undefined, _: unknown, command: Command) =>
      ask(io, command, 'index', { wing }, ({ wings, warnings = [] }) => [
        ...(wings.length === 0 ? ['There are no wings yet.'] : []),
        ...wings.map(
          (one) => `${one.path}  ${counted(one.notes, 'note')}, ${one.changed ? 'rebuilt' : 'up to date'}`,
        ),
        ...remarks({ warnings }, ''),
      ]),
    );

  program
    .command('tunnels')
    .description('dig the tunnels of promoted notes to other wings anew')
    .option('--wing <wing>', 'only notes of this wing')
    .option('--dry-run', 'say what would happen, change nothing')
    .action((_: unknown, command: Command) =>
      ask(io, command, 'tunnels', fieldsOf(command), describeTunnels),
    );
}

/** Adds `brain snooze`, which puts a queued note off. */
function addSnoozeCommand(program: Command, io: Io): void {
  program
    .command('snooze')
    .description('put a note of the review queue off, by default for a day; its file does not change')
    .argument('<path>', 'the note, such as raw/2026-11-20-router.md')
    .option('--until <time>', 'when it comes back, such as 2026-12-01; "now" ends it')
    .option('--dry-run', 'say what would happen, change nothing')
    .action((path: string, _: unknown, command: Command) => {
      const { until, ...fields } = fieldsOf(command);
      const asked = { path, until: until === 'now' ? null : until, ...fields };
      return ask(io, command, 'snooze', asked, ({ path: at, snoozed_until: end }) => [
        end === null ? `${oneLine(at)} waits for review` : `${oneLine(at)} comes back ${end}`,
      ]);
    });
}

/** Adds `brain decisions`, which lists what was decided about notes. */
function addDecisionsCommand(program: Command, io: Io): void {
  program
    .command('decisions')
    .description('list what was decided about notes, by whom and why, newest first')
    .option(
      '--kind <kind>',
      'only promoted, rejected, restored, adopted, returned, replaced, confirmed, moved or undone',
    )
    .option('--by <stamp>', 'only those of this writer, such as human:me')
    .option('--path <path>', 'only those about the note that is or was there')
    .option('--limit <n>', 'at most <n> decisions, up to 200', wholeNumber)
    .option('--offset <n>', 'leave out the first <n>', wholeNumber)
    .action((_: unknown, command: Command) => {
      const { limit, offset = 0, ...filter } = fieldsOf<{ readonly offset?: number }>(command);
      const isFiltered = Object.keys(filter).length > 0;
      const none = isFiltered ? 'There are no such decisions.' : 'Nothing was decided yet.';
      return ask(io, command, 'decisions', { limit, offset, ...filter }, ({ decisions, total }) => [
        ...(total === 0 ? [none] : []),
        ...decisions.flatMap(describeDecision),
        ...moreLine('decision', { shown: decisions.length, total, offset }),
      ]);
    });
}

type Decided = Answer<typeof listDecisions>['decisions'][number];

function describeDecision({ at, by = 'somebody', kind, path, from, title, reason }: Decided): Line[] {
  return [
    [styled('dim', at), ` ${kind}  `, styled('bold', oneLine(title)), `  ${oneLine(by)}`],
    `  ${from === undefined ? '' : `${oneLine(from)} to `}${oneLine(path)}`,
    ...(reason === undefined ? [] : [`  ${oneLine(reason)}`]),
  ];
}

/** Adds `brain restore` and `brain unpromote`, which take a decision back. */
function addReturnCommands(program: Command, io: Io): void {
  const described = ({ from, path, warnings = [] }: Answer<typeof restoreNote>, dryRun: boolean): Line[] => [
    [styled('green', dryRun ? 'Would return' : 'Returned'), ` ${oneLine(from)} to ${oneLine(path)}`],
    ...remarks({ warnings }),
  ];
  for (const { name, does, example } of [
    {
      name: 'restore',
      does: 'take a rejection back: the note returns to the review queue',
      example: 'raw/rejected/2026-11-20-router.md',
    },
    {
      name: 'unpromote',
      does: 'take a promotion back, or give an adopted note back: the note returns to where it was',
      example: 'wiki/homelab/facts/router.md',
    },
  ] as const) {
    program
      .command(name)
      .description(does)
      .argument('<path>', `the note, such as ${example}`)
      .option('--dry-run', 'say what would happen, change nothing')
      .action((path: string, _: unknown, command: Command) =>
        ask(io, command, name, { path, ...fieldsOf(command) }, described),
      );
  }
}

function describeProposal(proposal: NonNullable<Answer<typeof listPending>['proposals']>[number]): Line {
  const { decision, decided_at: at = '', proposed_as: first, path = first, title, by, reason } = proposal;
  const why = reason === undefined ? '' : `: ${reason}`;
  const who = by === undefined ? '' : `  (${by}${why})`;
  return `${decision.padEnd(9)}  ${at.slice(0, 10).padEnd(10)}  ${path}  ${title}${who}`;
}

function describePending({ pending, total, reading }: Answer<typeof listPending>, offset: number): Line[] {
  if (total === 0) return ['Nothing awaits review.', ...readingLines(reading)];
  const entries = pending.flatMap((entry): Line[] => {
    const facts = [
      `${entry.age_days} d old`,
      stamp(entry),
      entry.stale ? 'stale' : '',
      ...entry.risks.map((risk) => risk.replace('_', ' ')),
      entry.snoozed_until === undefined ? '' : `snoozed until ${entry.snoozed_until}`,
    ];
    return [
      [styled('cyan', entry.path), '  ', styled('bold', oneLine(entry.title))],
      ['  ', styled('dim', oneLine(facts.filter(Boolean).join(' · ')))],
      `  ${oneLine(entry.excerpt)}`,
      `  suggested: ${oneLine(suggestion(entry.suggested))}`,
      ...(entry.collision === undefined ? [] : [`  taken: ${oneLine(entry.collision)}`]),
      ...entry.same.map((path) => `  near-equal: ${oneLine(path)}`),
      ...entry.similar.map(({ path, stale }) => `  similar: ${path}${stale ? ' (stale)' : ''}`),
      ...remarks(entry),
    ];
  });
  const shown = pending.length < total ? `, ${pending.length} shown` : '';
  return [
    `${counted(total, 'note')} to review${shown}`,
    ...entries,
    ...moreLine('note', { shown: pending.length, total, offset }),
    ...readingLines(reading),
  ];
}

type Suggested = Answer<typeof listPending>['pending'][number]['suggested'];

/** Returns the suggested address, or the known parts of it. */
function suggestion({ wing, hall, slug }: Suggested): string {
  if (wing !== undefined && hall !== undefined) return `${wing}/${hall}/${slug}`;
  const known = Object.entries({ wing, hall, slug }).filter(([, part]) => part !== undefined);
  return known.map(([name, part]) => `${name} ${part}`).join(', ');
}

function describeTunnels(rebuilt: Answer<typeof rebuildTunnels>, dryRun: boolean): Line[] {
  return [
    `${counted(rebuilt.scanned, 'note')}, ${rebuilt.changed} ${dryRun ? 'would change' : 'changed'}`,
    ...rebuilt.notes.flatMap(({ path, tunnels }) => [
      path,
      ...tunnels.map((tunnel) => `  tunnel: ${tunnel.path} (${tunnel.reason})`),
    ]),
    ...remarks(rebuilt),
  ];
}
