import type { Plugin } from 'obsidian';
import type { ServerControl } from './server-control';
import { wordsOf } from './server-state';

/** How many results a search on the command line prints. */
const RESULTS = 10;

/** What Obsidian's own command line can ask: how the server is, what waits, and a search. It changes nothing. */
export function addCliHandlers(
  plugin: Pick<Plugin, 'registerCliHandler'>,
  control: Pick<ServerControl, 'state' | 'pending' | 'client'>,
): void {
  const closed = (): string => wordsOf(control.state).sentence;
  plugin.registerCliHandler('brain-server', 'How the server is and how many notes await review', null, () => {
    const { pending } = control;
    const queue = pending === null ? '' : `\n${pending} pending`;
    return `${wordsOf(control.state).sentence}${queue}`;
  });
  plugin.registerCliHandler(
    'brain-server:pending',
    'Notes that await review, oldest first',
    null,
    async () => {
      const { client } = control;
      if (client === null) return closed();
      const { pending } = await client.call('pending', {});
      return pending.map(({ path, title, age_days }) => `${path}\t${age_days} d\t${title}`).join('\n');
    },
  );
  plugin.registerCliHandler(
    'brain-server:query',
    'Search the notes',
    { query: { value: '<words>', description: 'Words that a note would use', required: true } },
    async ({ query = '' }) => {
      const { client } = control;
      if (client === null) return closed();
      const { results } = await client.call('query', { query, limit: RESULTS });
      return results.map(({ path, title }) => `${path}\t${title}`).join('\n');
    },
  );
}
