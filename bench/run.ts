import { benchAnswers } from './answers';
import { benchMcp, benchWrite, serveMcpFloor } from './calls';
import { benchDocuments } from './documents';
import { benchLoop, benchTextMemory } from './entangled';
import { benchFusion } from './fusion';
import { benchMemory, benchMixed } from './mixed';
import { benchMemories } from './memories';
import { benchPast } from './past';
import { benchReaders } from './readers';
import { benchRelevance } from './relevance';
import { benchScale } from './scale';
import { benchSearch } from './search';
import { benchSlices } from './slices';
import { benchStart, startPart } from './start';
import { machine } from './support';
import { benchTeam } from './team';
import { benchTyping } from './typing';
import { benchVaults } from './vaults';
import { benchLocalVectors, benchVectors } from './vectors';

/** The sizes of the store of vectors in files. */
const LOCAL_ROWS = [1_000, 10_000, 50_000, 100_000];

/**
 * `npm run bench [-- search|relevance|slices|vectors|loop]`: prints every figure of one run with the machine it ran on; those that
 * need something of their own run by name alone.
 */
async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const all = wanted.length === 0;
  if (wanted[0] === 'start-part') return startPart(wanted.slice(1));
  if (wanted[0] === 'mcp-floor') return serveMcpFloor(wanted.slice(1));
  console.log(`# Brain Server bench\n\nMachine: ${machine()}\n`);
  // Its doors have the names of other benches.
  if (wanted[0] === 'loop') return benchLoop(wanted.slice(1));
  if (wanted[0] === 'memory' && wanted[1] !== 'leaks') return benchTextMemory(wanted.slice(1));
  if (all || wanted.includes('slices')) await benchSlices(10_000);
  if (all) await benchLoop([]);
  if (all || wanted[0] === 'search') await benchSearch(wanted.slice(1));
  if (all || wanted[0] === 'relevance') await benchRelevance(wanted.slice(1));
  if (all || wanted.includes('vectors')) {
    for (const count of LOCAL_ROWS) await benchLocalVectors(count);
    await benchVectors(10_000);
  }
  // It needs a Postgres of the system: `team <notes>`.
  if (wanted[0] === 'team') return benchTeam(Number(wanted[1] ?? 10_000));
  // `past <events>…`
  if (wanted[0] === 'past') {
    for (const events of wanted.length > 1 ? wanted.slice(1) : ['10000', '100000', '1000000'])
      await benchPast(Number(events));
    return;
  }
  // `typing <folder>…`
  if (wanted[0] === 'typing') return benchTyping(wanted.slice(1));
  // `start <notes> <folder>`
  if (wanted[0] === 'start') return benchStart(wanted.slice(1));
  // `memories <collection>…`
  if (wanted[0] === 'memories') return benchMemories(wanted.slice(1));
  // `mcp <notes>` and `write <notes>`
  if (wanted[0] === 'mcp') return benchMcp(Number(wanted[1] ?? 1000));
  if (wanted[0] === 'write') return benchWrite(Number(wanted[1] ?? 1000));
  // `fusion <collection>…`
  if (wanted[0] === 'fusion') return benchFusion(wanted.slice(1));
  // `vaults <folder>…`
  if (wanted[0] === 'vaults') return benchVaults(wanted.slice(1));
  // `readers <notes>`
  if (wanted[0] === 'readers') return benchReaders(Number(wanted[1] ?? 10_000));
  // `documents --corpus <folder>`
  if (wanted[0] === 'documents') return benchDocuments(wanted.slice(1));
  // `mixed <minutes>` and `memory leaks <calls>`, on a vault of so many notes
  if (wanted[0] === 'mixed') await benchMixed(Number(wanted[1] ?? 10), Number(wanted[2] ?? 10_000));
  if (wanted[0] === 'memory') await benchMemory(Number(wanted[2] ?? 100_000), Number(wanted[3] ?? 2000));
  // `answers <collection>…`
  if (wanted[0] === 'answers') return benchAnswers(wanted.slice(1));
  // `scale [--vectors <number>] --collection <file or folder>…`
  if (wanted[0] === 'scale') await benchScale(Number(option('--vectors')[0] ?? 6000), option('--collection'));
}

/** The values after an option. */
function option(name: string): string[] {
  const at = process.argv.indexOf(name);
  const after = at < 0 ? [] : process.argv.slice(at + 1);
  const end = after.findIndex((value) => value.startsWith('--'));
  return end < 0 ? after : after.slice(0, end);
}

void main();
