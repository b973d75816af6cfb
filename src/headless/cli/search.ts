import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { writtenOperators } from '../../core/search/operators';
import type { queryNotes } from '../../core/search/query';
import { type Answer, type Client, clientFrom, type Reply } from '../terminal/client';
import type { Io } from '../terminal/io';
import {
  counted,
  type Line,
  oneLine,
  progressBar,
  readingLines,
  remarks,
  show,
  stamp,
  untoldLines,
  styled,
} from '../terminal/output';
import { wholeNumber } from './arguments';
import { fieldsOf, wantsJson } from './ask';

type Found = Answer<typeof queryNotes>;

/** The interval at which a search that found nothing is repeated while the vault is read (ms). */
const LOOK_EVERY_MS = 500;

/** Adds `brain query`, also called `search`. */
export function addSearchCommand(program: Command, io: Io): void {
  program
    .command('query')
    .alias('search')
    .description('search the notes')
    .argument('<words...>', 'what to look for')
    .option('--wing <wing>', 'only this wing')
    .option('--hall <hall>', 'only this hall')
    .option('--under <folder>', 'only notes in this folder of the vault, such as Projects/garden')
    .option('--limit <n>', 'at most <n> results, up to 50', wholeNumber)
    .option('--include-raw', 'also notes that await review')
    .option('--written-by <writer>', 'only notes of this writer: the name of a token, or a whole written_by')
    .option('--origin <door>', 'only notes that came in this way: mcp, http, watcher, obsidian or web')
    .option('--source-type <type>', 'only notes that are internal, or external')
    .option(
      '--status <status>',
      'only notes that are wiki, knowledge, vault (your own) or raw (which await review), or attachment: PDF files and canvases',
    )
    .option('--not-stale', 'without notes past their half-life')
    .addHelpText(
      'after',
      `
Examples:
  $ brain query wireguard mtu
  $ brain query 'restic "exact phrase"'
  $ brain query 'load balancer tag:network -ipvs'
  $ brain query backup --wing homelab --hall decisions --json
  $ brain query backup --written-by human:me --not-stale`,
    )
    .action(async (words: string[], _: unknown, command: Command) => {
      const client = await clientFrom(io);
      const fields = { query: words.join(' '), ...fieldsOf(command) };
      if (wantsJson(command)) return show(io, true, await client.call('query', fields), () => []);
      const reply = await foundWhileReading(io, client, fields);
      show(io, false, reply, describeResults);
    });
}

/** Searches; on a terminal, a search without results waits with a progress bar while the vault is being read. */
async function foundWhileReading({ stderr }: Io, client: Client, fields: object): Promise<Reply<Found>> {
  for (let waited = false; ; waited = true) {
    const reply = await client.call('query', { ...fields, max_tokens: 0 });
    const { count, reading } = reply.value;
    if (count > 0 || reading === undefined || stderr.isTTY !== true) {
      if (waited) stderr.write('\r\u001b[K');
      return reply;
    }
    stderr.write(`\r${progressBar('reading the vault', reading)}\u001b[K`);
    await sleep(LOOK_EVERY_MS);
  }
}

function nothing(searched: number): string {
  if (searched === 0) return 'No notes match: there are none to search.';
  return `No notes match. ${counted(searched, 'note')} ${searched === 1 ? 'was' : 'were'} searched.`;
}

const STATUS_WORDS: Readonly<Record<Found['results'][number]['status'], string>> = {
  wiki: '',
  knowledge: '',
  raw: 'awaits review',
  vault: 'your own note',
  attachment: 'a file of the vault',
};

function describeResults(found: Found): Line[] {
  const lines = found.results.flatMap((result, index): Line[] => {
    const place =
      result.hall === undefined || result.wing === undefined ? '' : `${result.hall} in ${result.wing}`;
    const from = result.import === undefined ? '' : `import ${result.import}`;
    const page = result.page === undefined ? '' : `page ${result.page}`;
    const facts = [
      place,
      stamp(result),
      STATUS_WORDS[result.status],
      from,
      page,
      result.stale ? 'stale' : '',
    ];
    const stamped = oneLine(facts.filter(Boolean).join(' · '));
    const excerpt = oneLine(result.excerpt);
    return [
      [`${index + 1}. `, styled('bold', oneLine(result.title))],
      ['   ', styled('cyan', oneLine(result.path))],
      ...(excerpt === '' ? [] : [`   ${excerpt}`]),
      ...(stamped === '' ? [] : [['   ', styled('dim', stamped)]]),
    ];
  });
  const { count, searched = 0, warnings = [], parsed } = found;
  return [
    ...lines,
    ...(count === 0 ? [nothing(searched)] : []),
    ...untoldLines(found),
    ...(parsed === undefined ? [] : [`Filtered by ${oneLine(writtenOperators(parsed).join(', '))}.`]),
    ...(found.degraded ? ['Vectors could not be used; these results are BM25 alone.'] : []),
    ...remarks({ warnings }, ''),
    ...readingLines(found.reading),
  ];
}
