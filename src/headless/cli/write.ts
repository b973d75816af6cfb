import type { Command } from 'commander';
import { stat } from 'node:fs/promises';
import type { writeNote } from '../../core/notes/write';
import type { Answer } from '../terminal/client';
import { type Io, UsageError } from '../terminal/io';
import { type Line, remarks, styled } from '../terminal/output';
import { isPathLike, nameList, noteInput } from './arguments';
import { ask, fieldsOf } from './ask';

/** Adds `brain write`, `brain update` and `brain capture`: a note from standard input, a file or the call itself. */
export function addWriteCommands(program: Command, io: Io): void {
  withEnvelope(
    program
      .command('write')
      .description('write a note to wiki/<wing>/<hall>/<slug>.md, from standard input or --file')
      .argument('<wing>', 'topic, a free name such as homelab')
      .argument('<hall>', 'facts, decisions, failures, hypotheses or sources')
      .argument('<slug>', 'file name of the note, without .md')
      .option('--file <path>', 'read the note from a file')
      .option('--source-type <type>', 'internal or external')
      .option('--overwrite', 'replace an existing note; its old version is kept'),
  )
    .option('--dry-run', 'say what would happen, change nothing')
    .addHelpText(
      'after',
      `
Examples:
  $ echo 'The tunnel needs an MTU of 1380.' | brain write homelab facts wireguard-mtu
  $ brain write homelab decisions backup-rotation --file decision.md \\
      --half-life seasonal --claim-provenance asserted`,
    )
    .action(async (wing: string, hall: string, slug: string, _: unknown, command: Command) => {
      const { file, ...fields } = fieldsOf<{ readonly file?: string }>(command);
      const content = await noteInput(io, file);
      await ask(io, command, 'write', { wing, hall, slug, content, ...fields }, describeWrite);
    });

  withEnvelope(
    program
      .command('update')
      .description('replace the body of a note; the old version stays readable by its hash')
      .argument('<path>', 'vault path of the note')
      .requiredOption('--reason <text>', 'why, in a few words; kept with the note')
      .option('--file <path>', 'read the new text from a file')
      .option('--expected-hash <sha>', 'refuse when the note is not at this version any more'),
  )
    .option('--dry-run', 'say what would happen, change nothing')
    .addHelpText(
      'after',
      `
Example:
  $ brain update wiki/homelab/facts/wireguard-mtu.md --reason 'measured again' --file mtu.md`,
    )
    .action(async (path: string, _: unknown, command: Command) => {
      const { file, ...fields } = fieldsOf<{ readonly file?: string }>(command);
      const content = await noteInput(io, file);
      await ask(io, command, 'update', { path, content, ...fields }, (updated, dryRun) => [
        [styled('green', dryRun ? 'Would update' : 'Updated'), ` ${updated.path}`],
        `  hash: ${updated.content_hash}`,
        `  supersedes: ${updated.supersedes}`,
        ...remarks(updated),
      ]);
    });

  addCaptureCommand(program, io);
}

function addCaptureCommand(program: Command, io: Io): void {
  program
    .command('capture')
    .description('remember a text without thinking of an address')
    .argument('[text...]', 'what to remember; without it, or for -, standard input is read')
    .option('--file <path>', 'read the text from a file')
    .option('--title <title>', 'title of the note (default: from the text)')
    .option('--wing <wing>', 'topic it belongs to')
    .option('--hall <hall>', 'facts, decisions, failures, hypotheses or sources')
    .option('--tags <list>', 'tags, separated by commas', nameList)
    .option('--source <source>', 'where it is from: an address or a label')
    .option('--dry-run', 'say what would happen, change nothing')
    .addHelpText(
      'after',
      `
Examples:
  $ brain capture 'The fan of the router rattles below 5 degrees.'
  $ pbpaste | brain capture --wing homelab --tags router,noise`,
    )
    .action(async (words: string[], _: unknown, command: Command) => {
      const { file, ...fields } = fieldsOf<{ readonly file?: string }>(command);
      const text = await capturedText(io, words, file);
      await ask(io, command, 'capture', { text, ...fields }, describeWrite);
    });
}

/** Returns the text to remember. @throws UsageError for two texts, and for one that looks like a path. */
async function capturedText(io: Io, words: readonly string[], file: string | undefined): Promise<string> {
  const text = words.join(' ');
  if (words.length === 0 || text === '-') return noteInput(io, file);
  if (file !== undefined) throw new UsageError('Give either a text or --file.');
  const isWord = !/\s|^https?:/.test(text);
  if ((isWord && isPathLike(text)) || (await stat(text).catch(() => null)) !== null) {
    throw new UsageError(
      `"${text}" looks like a path. Give --file to remember what is in that file, or send the text on standard input.`,
    );
  }
  return text;
}

function withEnvelope(command: Command): Command {
  return command
    .option('--half-life <span>', 'how fast the claim ages: volatile, seasonal or durable')
    .option('--applies <reach>', 'how far it holds: local, homelab or universal')
    .option('--claim-provenance <kind>', 'asserted or inferred; goes with the two above');
}

function describeWrite(written: Answer<typeof writeNote>, dryRun: boolean): Line[] {
  const [done, wouldBe] = written.replaced ? ['Replaced', 'Would replace'] : ['Wrote', 'Would write'];
  const verb = written.unchanged ? 'Unchanged' : dryRun ? wouldBe : done;
  return [
    [styled('green', verb), ` ${written.path}`],
    `  hash: ${written.content_hash}`,
    ...remarks(written),
  ];
}
