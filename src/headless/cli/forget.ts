import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { forget } from '../../core/forget/forget';
import { type Answer, clientFrom } from '../terminal/client';
import { CommandError, FailedAnswer, type Io, UsageError } from '../terminal/io';
import { counted, type Line, oneLine, remarks, show } from '../terminal/output';
import { wantsJson } from './ask';

interface ForgetOptions {
  readonly hash?: true;
  readonly reason?: string;
  readonly original?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly plan?: string;
}

/** The timeout of forgetting (ms): all logs of the vault are looked through. */
const TIMEOUT_MS = 600_000;

/** Adds `brain forget`: it shows what goes, asks for the title of the note, and removes it for good. */
export function addForgetCommand(program: Command, io: Io): void {
  program
    .command('forget')
    .description('remove a note for good, with all that is kept of it')
    .argument('<path>', 'the note, or with --hash one of its texts')
    .option('--hash', 'the argument is the hash of one of its texts, for a note whose file is gone')
    .option('--reason <text>', 'why; kept without the name of the note, so do not name it here either')
    .option('--original', 'also the original of a document that other notes were made of too')
    .option('--dry-run', 'show what would go, and change nothing')
    .option('--yes', 'do not ask; needs --plan')
    .option('--plan <hash>', 'refuse when what goes is not what the preview with this hash showed')
    .addHelpText(
      'after',
      `
It removes the file, every version, the original of its document, and its place in searches, answers and logs.
Links to it become text. The file of a note of your own stays. It cannot be taken back.
On a terminal it asks for the title of the note. Elsewhere it prints the preview and ends with 1.

Examples:
  $ brain forget wiki/health/facts/old-letter.md --reason "asked for by the person it is about"
  $ brain forget wiki/health/facts/old-letter.md --reason "asked for" --yes --plan <hash of the preview>`,
    )
    .action((path: string, _: unknown, command: Command) => forgetNote(io, path, command));
}

async function forgetNote(io: Io, named: string, command: Command): Promise<void> {
  const { hash, reason, original, dryRun, yes, plan } = command.opts<ForgetOptions>();
  if (yes === true && plan === undefined)
    throw new UsageError('Give --yes together with the --plan of a preview.');
  if (dryRun !== true && reason === undefined) throw new UsageError('Say why: --reason <text>');
  const json = wantsJson(command);
  const client = await clientFrom(io);
  const fields = { ...(hash === true ? { hash: named } : { path: named }), reason, original };
  const done = async (seen: string): Promise<void> =>
    show(io, json, await client.call('forget', { ...fields, plan: seen }, TIMEOUT_MS), describeDone);
  if (yes === true && plan !== undefined) return done(plan);
  const preview = await client.call('forget', { ...fields, dry_run: true }, TIMEOUT_MS);
  show(io, json, preview, (answer) => describePreview(answer, dryRun === true));
  if (dryRun === true) return;
  const { title, plan: seen } = preview.value;
  if (io.stdin.isTTY !== true || json)
    throw new FailedAnswer('Nothing was changed. Do it with: --yes --plan and the hash above');
  await askForTitle(io, title);
  await done(seen);
}

/** @throws CommandError unless a person types the title */
async function askForTitle({ stdin, stderr }: Io, title: string): Promise<void> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    const typed = await lines.question(`This cannot be taken back. Type the title to go on: `);
    if (typed.trim() === title.trim()) return;
  } finally {
    lines.close();
  }
  throw new CommandError('That is not the title of the note, and nothing was changed.');
}

type Forgotten = Answer<typeof forget>;

const FILES = {
  removed: 'its file',
  kept: 'not its file, which is yours',
  gone: 'its file is gone already',
} as const;

function describePreview(answer: Forgotten, isAll: boolean): Line[] {
  const { path, title, plan } = answer;
  return [
    `Would forget "${oneLine(title)}"${path === undefined ? '' : ` (${oneLine(path)})`}:`,
    ...described(answer),
    ...remarks(answer),
    ...(isAll ? [`Nothing was changed. Do it with: --yes --plan ${plan}`] : [`  plan: ${plan}`]),
  ];
}

function describeDone(answer: Forgotten): Line[] {
  return [`Forgot "${oneLine(answer.title)}":`, ...described(answer), ...remarks(answer)];
}

function described(answer: Forgotten): string[] {
  const { file, versions, shared, original, original_goes: goes, original_of: of, elsewhere } = answer;
  return [
    `  ${FILES[file]}, ${counted(versions, 'version')} in the history`,
    ...(shared.length === 0
      ? []
      : [`  ${counted(shared.length, 'text')} that stays, as it is elsewhere too`]),
    ...(original === undefined
      ? []
      : [`  ${goes ? 'its original' : 'not its original'}: ${oneLine(original)}`]),
    ...of.map((path) => `  made of the same document: ${oneLine(path)}`),
    ...answer.linked_from.map((path) => `  its link becomes text: ${oneLine(path)}`),
    ...answer.others.map(({ path, shared: words }) => {
      const which = words.length === 0 ? 'says the same' : `has ${words.join(', ')}`;
      return `  stays as it is, and ${which}: ${oneLine(path)}`;
    }),
    ...(elsewhere.devices === 0
      ? []
      : [`  ${counted(elsewhere.devices, 'other device')} will do the same when the service runs there`]),
    ...elsewhere.unreachable.map((what) => `  not reached: ${what}`),
  ];
}
