import type { Command } from 'commander';
import { contextText } from '../../core/context/text';
import type { getNote } from '../../core/notes/get';
import type { history } from '../../core/notes/history';
import type { passRate } from '../../core/sessions/pass-rate';
import { type Answer, clientFrom } from '../terminal/client';
import { type Io, UsageError } from '../terminal/io';
import { counted, type Line, oneLine, printable, remarks, show, stamp, styled } from '../terminal/output';
import { wholeNumber } from './arguments';
import { ask, fieldsOf, wantsJson } from './ask';

interface ShowOptions {
  readonly hash?: string;
  readonly body?: boolean;
}

/** The characters of a body in one call: the maximum of the service. */
const MAX_CHARS = '1000000';

/** Adds `brain show` (also `get`), `brain history` and `brain pass-rate`. */
export function addReadCommands(program: Command, io: Io): void {
  program
    .command('show')
    .alias('get')
    .description('read a note')
    .argument('[path]', 'vault path, such as wiki/homelab/facts/wireguard-mtu.md')
    .option('--hash <sha>', 'read the version with this content hash instead')
    .option('--offset <n>', 'start at this character of the body', wholeNumber)
    .option('--body', 'print the body alone')
    .addHelpText(
      'after',
      `
Examples:
  $ brain show wiki/homelab/facts/wireguard-mtu.md
  $ brain show wiki/homelab/facts/wireguard-mtu.md --body > mtu.md`,
    )
    .action(async (path: string | undefined, _: unknown, command: Command) => {
      const { hash, body, ...fields } = fieldsOf<ShowOptions>(command);
      const json = wantsJson(command);
      if ((path === undefined) === (hash === undefined))
        throw new UsageError('Give either a path or --hash.');
      const client = await clientFrom(io);
      const reply = await client.call('note', { path, hash, ...fields, max_chars: MAX_CHARS });
      const note = reply.value;
      if (body === true && !json) io.stdout.write(io.stdout.isTTY ? printable(note.body) : note.body);
      else show(io, json, reply, describeNote);
      if (note.truncated) io.stderr.write(`The note goes on: --offset ${note.next_offset}\n`);
    });

  program
    .command('history')
    .description('list the versions of a note, newest first')
    .argument('[path]', 'vault path of the note')
    .option('--diff <hashes>', 'compare two versions (hash..hash), or one with the note as it is now')
    .addHelpText(
      'after',
      `
Examples:
  $ brain history wiki/homelab/facts/wireguard-mtu.md
  $ brain history --diff <hash of a version>
  $ brain show --hash <hash of a version>`,
    )
    .action((path: string | undefined, _: unknown, command: Command) =>
      ask(io, command, 'history', { path, ...fieldsOf(command) }, describeHistory),
    );

  program
    .command('pass-rate')
    .description('how often skills succeed, from the session logs')
    .option('--skill <name>', 'only this skill')
    .option('--window <span>', 'how far back, such as 24h or 30d (default: 7d)')
    .addHelpText('after', '\nExample:\n  $ brain pass-rate --skill deploy --window 30d')
    .action((_: unknown, command: Command) =>
      ask(io, command, 'passRate', fieldsOf(command), describePassRate),
    );
}

/** Adds `brain context`: what is known that a task begins or goes on with. */
export function addContextCommand(program: Command, io: Io): void {
  program
    .command('context')
    .description('say what a task needs: guidance, progress, open items, decisions, failures and facts')
    .option('--task <text>', 'what is to be done; what is found for it comes first')
    .option('--wing <wing>', 'only notes of this wing')
    .option('--max-tokens <n>', 'at most <n> tokens, from 200 to 8000 (default: 2000)', wholeNumber)
    .addHelpText(
      'after',
      `
Example:
  $ brain context --task 'migrate the NAS to ZFS' --wing homelab`,
    )
    .action(async (_: unknown, command: Command) => {
      await ask(io, command, 'context', fieldsOf(command), (answer) => contextText(answer).split('\n'));
    });
}

function describeNote(note: Answer<typeof getNote>): Line[] {
  const words: Readonly<Record<string, string>> = { raw: 'awaits review', vault: 'your own note' };
  const status = words[note.status] ?? note.status;
  const facts = [status, stamp(note), note.updated_at ?? '', note.stale ? 'stale' : ''].filter(Boolean);
  return [
    [styled('cyan', oneLine(note.path)), '  ', styled('bold', oneLine(note.title))],
    ['  ', styled('dim', oneLine(facts.join(' · ')))],
    `  hash: ${note.content_hash}  (${counted(note.history, 'older version')})`,
    ...(note.backlinks.length > 0 ? [`  linked from: ${oneLine(note.backlinks.join(', '))}`] : []),
    ...remarks({ warnings: note.warnings ?? [] }),
    '',
    note.body.trimEnd(),
  ];
}

function describeHistory(answer: Answer<typeof history>): Line[] {
  if ('diff' in answer)
    return [...remarks({ warnings: answer.warnings ?? [] }), (answer.diff.patch ?? '').trimEnd()];
  if (!('versions' in answer)) return [answer.content.trimEnd()];
  return answer.versions.flatMap(({ hash, reason, updated_at: at, bytes, ...by }, index): Line[] => {
    const facts = [index === 0 ? 'now' : '', at ?? '', stamp(by), counted(bytes, 'byte')];
    return [
      [styled('cyan', hash), '  ', styled('dim', oneLine(facts.filter(Boolean).join(' · ')))],
      ...(reason === undefined ? [] : [`  ${oneLine(reason)}`]),
    ];
  });
}

function describePassRate(answer: Answer<typeof passRate>): string[] {
  const { skill, window, pass, fail, skip, unknown, malformed } = answer;
  const line = `${skill ?? 'all skills'}, last ${window}: ${percent(answer.pass_rate)}`;
  const counts = `  ${pass} pass, ${fail} fail, ${skip} skip, ${unknown} unknown`;
  const bad = malformed > 0 ? [`  ${counted(malformed, 'line')} could not be read`] : [];
  const skills = (answer.by_skill ?? []).map((one) => `  ${oneLine(one.skill)}: ${percent(one.pass_rate)}`);
  return [line, counts, ...bad, ...skills];
}

/** Formats a rate; without data there is none, not a rate of zero. */
function percent(rate: number | null): string {
  return rate === null ? 'no data' : `${(rate * 100).toFixed(1)} %`;
}
