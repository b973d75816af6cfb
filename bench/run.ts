import { benchDocuments } from './documents';
import { benchFolder } from './folder';
import { benchIngest } from './ingest';
import { benchLoad } from './load';
import { benchLoop } from './loop';
import { benchMcp } from './mcp';
import { benchBackfill, benchMeaning } from './meaning';
import { benchTextMemory } from './memory';
import { benchMemory, benchMixed } from './mixed';
import { benchRelevance } from './relevance';
import { benchScale } from './scale';
import { benchScroll } from './scroll';
import { benchSearch } from './search';
import { benchSlices } from './slices';
import { benchStart } from './start';
import { machine } from './support';
import { benchTeam } from './team';
import { benchLocalVectors, benchVectors } from './vectors';
import { benchWrite } from './write';
import { benchWriter } from './writer';

/** The sizes of the store of vectors in files. */
const LOCAL_ROWS = [1_000, 10_000, 50_000, 100_000];

/**
 * `npm run bench [-- write|mcp|ingest|start|load|slices|loop|meaning|backfill|scroll|search|relevance|vectors|writer|mixed|memory|folder|documents]`:
 * prints every figure of one run with the machine it ran on.
 */
async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const all = wanted.length === 0;
  console.log(`# Brain Server bench\n\nMachine: ${machine()}\n`);
  // Their doors have the names of other benches.
  if (wanted[0] === 'loop') return benchLoop(wanted.slice(1));
  if (wanted[0] === 'memory' && wanted[1] !== 'leaks') return benchTextMemory(wanted.slice(1));
  if (all || wanted.includes('write')) await benchWrite(1500);
  if (all || wanted.includes('mcp')) await benchMcp(1500);
  if (all || wanted.includes('ingest')) await benchIngest(1000, 5000);
  if (all || wanted[0] === 'start') await benchStart(vaultsOf(wanted.slice(1), [1000, 10_000]));
  if (all || wanted.includes('load')) benchLoad();
  if (all || wanted.includes('slices')) await benchSlices(10_000);
  if (all || wanted[0] === 'meaning')
    for (const vault of vaultsOf(wanted.slice(1), [519])) await benchMeaning(vault);
  if (all || wanted.includes('scroll')) await benchScroll(2000);
  if (all) await benchLoop([]);
  if (all || wanted[0] === 'search') await benchSearch(wanted.slice(1));
  if (all || wanted[0] === 'relevance') await benchRelevance(wanted.slice(1));
  if (all || wanted.includes('vectors')) {
    for (const count of LOCAL_ROWS) await benchLocalVectors(count);
    await benchVectors(10_000);
  }
  if (all || wanted[0] === 'backfill') await benchBackfill(Number(wanted[1] ?? 10_000));
  if (all || wanted.includes('writer')) await benchWriter();
  // By name alone, as it needs a Postgres of the system: `team <notes>`.
  if (wanted[0] === 'team') return benchTeam(Number(wanted[1] ?? 10_000));
  // By name alone: `documents --corpus <folder>`.
  if (wanted[0] === 'documents') return benchDocuments(wanted.slice(1));
  // By name alone: `folder <path or number>`.
  if (wanted[0] === 'folder') await benchFolder(wanted.slice(1));
  // By name alone: `mixed <minutes>` and `memory leaks <calls>`, on a vault of so many notes.
  if (wanted[0] === 'mixed') await benchMixed(Number(wanted[1] ?? 10), Number(wanted[2] ?? 10_000));
  if (wanted[0] === 'memory') await benchMemory(Number(wanted[2] ?? 100_000), Number(wanted[3] ?? 2000));
  // By name alone: `scale [--vectors <number>] --collection <file or folder>…`.
  if (wanted[0] === 'scale') await benchScale(Number(option('--vectors')[0] ?? 6000), option('--collection'));
}

/** The vaults that a part reads: numbers of notes or folders; the usual ones when none are given. */
function vaultsOf(given: readonly string[], usual: readonly number[]): readonly (number | string)[] {
  if (given.length === 0) return usual;
  return given.map((vault) => (/^\d+$/.test(vault) ? Number(vault) : vault));
}

/** The values after an option. */
function option(name: string): string[] {
  const at = process.argv.indexOf(name);
  const after = at < 0 ? [] : process.argv.slice(at + 1);
  const end = after.findIndex((value) => value.startsWith('--'));
  return end < 0 ? after : after.slice(0, end);
}

void main();
