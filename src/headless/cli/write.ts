import type { Command } from 'commander';
import { stat } from 'node:fs/promises';
import type { updateNote } from '../../core/notes/update';
import type { writeNote } from '../../core/notes/write';
import type { Answer } from '../terminal/client';
import { type Io, UsageError } from '../terminal/io';
import { type Line, remarks, styled } from '../terminal/output';
import { isPathLike, nameList, noteInput } from './arguments';
import { ask, fieldsOf } from './ask';

/** Adds `brain write`, `brain update`, `brain edit` and `brain capture`: a note from standard input, a file or the call itself. */
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
      await ask(io, command, 'update', { path, content, ...fields }, describeUpdate);
    });

  addEditCommand(program, io);
  addCaptureCommand(program, io);
}

/** A change of a part of a note. */
interface EditOptions {
  readonly append?: string;
  readonly replace?: string;
  readonly with?: string;
  readonly section?: string;
  readonly file?: string;
}

function addEditCommand(program: Command, io: Io): void {
  program
    .command('edit')
    .description('change a part of a note; the old version stays readable by its hash')
    .argument('<note>', 'vault path, title or alias of the note')
    .option('--append <text>', 'add a text at the end; - reads it from standard input')
    .option('--replace <old>', 'replace a text that stands exactly once')
    .option('--with <new>', 'what stands there instead')
    .option('--section <heading>', 'replace what stands below a heading, from standard input or --file')
    .option('--file <path>', 'read the new text from a file')
    .option('--reason <text>', 'why, in a few words; kept with the note (default: edit)')
    .option('--expected-hash <sha>', 'refuse when the note is not at this version any more')
    .option('--dry-run', 'say what would happen, change nothing')
    .addHelpText(
      'after',
      `
Examples:
  $ brain edit wiki/homelab/facts/wireguard-mtu.md --replace 1380 --with 1420
  $ brain edit 'Router log' --append '- 2026-11-30: new fan'`,
    )
    .action(async (path: string, _: unknown, command: Command) => {
      const { append, replace, with: by, section, file, ...fields } = fieldsOf<EditOptions>(command);
      const given = [append, replace, section].filter((each) => each !== undefined);
      if (given.length !== 1) throw new UsageError('Give one of --append, --replace and --section.');
      if ((replace === undefined) !== (by === undefined))
        throw new UsageError('Give --replace and --with together.');
      if (file !== undefined && section === undefined && append !== '-')
        throw new UsageError('Give --file with --section, or with --append -.');
      const change = {
        ...(append !== undefined && { append: append === '-' ? await noteInput(io, file) : append }),
        ...(replace !== undefined && by !== undefined && { replace: { old: replace, new: by } }),
        ...(section !== undefined && { section: { heading: section, content: await noteInput(io, file) } }),
      };
      await ask(io, command, 'edit', { path, ...change, ...fields }, describeUpdate);
    });
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

function describeUpdate(updated: Answer<typeof updateNote>, dryRun: boolean): Line[] {
  return [
    [styled('green', dryRun ? 'Would update' : 'Updated'), ` ${updated.path}`],
    `  hash: ${updated.content_hash}`,
    `  supersedes: ${updated.supersedes}`,
    ...remarks(updated),
  ];
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
