import type { Command } from 'commander';
import type { getNote } from '../../core/notes/get';
import type { queryNotes } from '../../core/search/query';
import type { passRate } from '../../core/sessions/pass-rate';
import { type Answer, clientFrom } from '../terminal/client';
import { type Io, UsageError } from '../terminal/io';
import { counted, oneLine, printable, show, stamp } from '../terminal/output';
import { wholeNumber } from './arguments';

interface QueryOptions {
  readonly wing?: string;
  readonly hall?: string;
  readonly limit?: number;
  readonly includeRaw?: boolean;
  readonly writtenBy?: string;
  readonly origin?: string;
  readonly sourceType?: string;
  readonly status?: string;
  readonly notStale?: boolean;
  readonly json?: boolean;
}

interface GetOptions {
  readonly hash?: string;
  readonly offset?: number;
  readonly body?: boolean;
  readonly json?: boolean;
}

interface PassRateOptions {
  readonly skill?: string;
  readonly window?: string;
  readonly json?: boolean;
}

/** The characters of a body in one call: the maximum of the service. */
const MAX_CHARS = '1000000';

/** Adds `brain query`, `brain get` and `brain pass-rate`, which read the vault. */
export function addReadCommands(program: Command, io: Io): void {
  program
    .command('query')
    .description('search the notes')
    .argument('<words...>', 'what to look for')
    .option('--wing <wing>', 'only this wing')
    .option('--hall <hall>', 'only this hall')
    .option('--limit <n>', 'at most so many results, up to 50', wholeNumber)
    .option('--include-raw', 'also notes that await review')
    .option('--written-by <writer>', 'only notes of this writer: the name of a token, or a whole written_by')
    .option('--origin <door>', 'only notes that came in this way: mcp, http, watcher, obsidian or web')
    .option('--source-type <type>', 'only notes that are internal, or external')
    .option('--status <status>', 'only notes that are wiki, knowledge or raw (which await review)')
    .option('--not-stale', 'without notes past their half-life')
    .addHelpText(
      'after',
      `
Examples:
  $ brain query wireguard mtu
  $ brain query 'restic "exact phrase"'
  $ brain query backup --wing homelab --hall decisions --json
  $ brain query backup --written-by human:me --not-stale`,
    )
    .action(async (words: string[], _: unknown, command: Command) => {
      const { wing, hall, limit, includeRaw, json, ...trust } = command.optsWithGlobals<QueryOptions>();
      const client = await clientFrom(io);
      const query = words.join(' ');
      const reply = await client.call('query', {
        query,
        wing,
        hall,
        limit,
        include_raw: includeRaw,
        written_by: trust.writtenBy,
        origin: trust.origin,
        source_type: trust.sourceType,
        status: trust.status,
        not_stale: trust.notStale,
      });
      show(io.stdout, json === true, reply, describeResults);
    });

  program
    .command('get')
    .description('read a note')
    .argument('[path]', 'vault path, such as wiki/homelab/facts/wireguard-mtu.md')
    .option('--hash <sha>', 'read the version with this content hash instead')
    .option('--offset <n>', 'start at this character of the body', wholeNumber)
    .option('--body', 'print the body alone')
    .addHelpText(
      'after',
      `
Examples:
  $ brain get wiki/homelab/facts/wireguard-mtu.md
  $ brain get wiki/homelab/facts/wireguard-mtu.md --body > mtu.md`,
    )
    .action(async (path: string | undefined, _: unknown, command: Command) => {
      const { hash, offset, body, json } = command.optsWithGlobals<GetOptions>();
      if ((path === undefined) === (hash === undefined))
        throw new UsageError('Give either a path or --hash.');
      const client = await clientFrom(io);
      const query = { path, hash, offset, max_chars: MAX_CHARS };
      const reply = await client.call('note', query);
      const note = reply.value;
      if (body === true && json !== true) io.stdout.write(io.stdout.isTTY ? printable(note.body) : note.body);
      else show(io.stdout, json === true, reply, describeNote);
      if (note.truncated) io.stderr.write(`The note goes on: --offset ${note.next_offset}\n`);
    });

  program
    .command('pass-rate')
    .description('how often skills succeed, from the session logs')
    .option('--skill <name>', 'only this skill')
    .option('--window <span>', 'how far back, such as 24h or 30d (default: 7d)')
    .addHelpText('after', '\nExample:\n  $ brain pass-rate --skill deploy --window 30d')
    .action(async (_: unknown, command: Command) => {
      const { skill, window, json } = command.optsWithGlobals<PassRateOptions>();
      const client = await clientFrom(io);
      const reply = await client.call('passRate', { skill, window });
      show(io.stdout, json === true, reply, describePassRate);
    });
}

function describeResults({ results, degraded }: Answer<typeof queryNotes>): string[] {
  const lines = results.flatMap((result, index) => {
    const place =
      result.hall === undefined || result.wing === undefined ? '' : `${result.hall} in ${result.wing}`;
    const facts = [
      place,
      stamp(result),
      result.status === 'raw' ? 'awaits review' : '',
      result.stale ? 'stale' : '',
    ];
    return [
      `${index + 1}. ${oneLine(result.title)}`,
      `   ${oneLine(result.path)}`,
      ...[result.excerpt, facts.filter(Boolean).join(' · ')]
        .map(oneLine)
        .filter(Boolean)
        .map((line) => `   ${line}`),
    ];
  });
  if (results.length === 0) lines.push('No notes match.');
  return degraded ? [...lines, 'Vectors could not be used; these results are BM25 alone.'] : lines;
}

function describeNote(note: Answer<typeof getNote>): string[] {
  const status = note.status === 'raw' ? 'awaits review' : note.status;
  const facts = [status, stamp(note), note.updated_at ?? '', note.stale ? 'stale' : ''].filter(Boolean);
  return [
    `${oneLine(note.path)}  ${oneLine(note.title)}`,
    `  ${oneLine(facts.join(' · '))}`,
    `  hash: ${note.content_hash}  (${counted(note.history, 'older version')})`,
    ...(note.backlinks.length > 0 ? [`  linked from: ${oneLine(note.backlinks.join(', '))}`] : []),
    '',
    note.body.trimEnd(),
  ];
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
