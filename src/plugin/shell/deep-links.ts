import type { Plugin } from 'obsidian';
import type { Plan } from '../../core/storage/plan';
import { type ScreenName, type ScreenParams, SCREENS } from '../../ui/client/screens';
import { type ServerControl, describeState } from '../server/control';

/** The number of results that a search on the command line prints. */
const RESULTS = 10;

/** Registers commands of Obsidian's command line that only read: the state of the server, the queue, and a search. */
export function addCliHandlers(
  plugin: Pick<Plugin, 'registerCliHandler'>,
  control: Pick<ServerControl, 'state' | 'pending' | 'client'>,
): void {
  const closedMessage = (): string => describeState(control.state).sentence;
  plugin.registerCliHandler('brain-server', 'How the server is and how many notes await review', null, () => {
    const { pending } = control;
    const queue = pending === null ? '' : `\n${pending} pending`;
    return `${describeState(control.state).sentence}${queue}`;
  });
  plugin.registerCliHandler(
    'brain-server:pending',
    'Notes that await review, oldest first',
    null,
    async () => {
      const { client } = control;
      if (client === null) return closedMessage();
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
      if (client === null) return closedMessage();
      const { results } = await client.call('query', { query, limit: RESULTS, max_tokens: 0 });
      return results.map(({ path, title }) => `${path}\t${title}`).join('\n');
    },
  );
}

/** The parameters that a link may set. Others are ignored: a link never fills in a decision. */
const PARAMS = [
  'path',
  'hash',
  'q',
  'wing',
  'hall',
  'raw',
  'agent',
  'tool',
  'time',
  'note',
  'skill',
] as const;

/** Parses `obsidian://brain-server?screen=queue&path=raw/…`. Returns null for an unknown screen. */
export function readDeepLink(
  link: Readonly<Record<string, string | undefined>>,
): { readonly screen: ScreenName; readonly params: ScreenParams } | null {
  const { screen = 'home' } = link;
  if (!isScreen(screen)) return null;
  const params = PARAMS.flatMap((name) => {
    const value = link[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { screen, params: Object.fromEntries(params) };
}

function isScreen(name: string): name is ScreenName {
  return Object.hasOwn(SCREENS, name);
}

/** An event for other plugins on the workspace. It has paths only, for they read the notes themselves. */
interface VaultEvent {
  readonly name: 'brain:written' | 'brain:promoted' | 'brain:rejected' | 'brain:ingested';
  readonly path: string;
  /** The pages that an ingest created. */
  readonly paths?: readonly string[];
  /** The previous path of the note. */
  readonly from?: string;
}

const NAMES: Readonly<Record<string, VaultEvent['name']>> = {
  promote: 'brain:promoted',
  reject: 'brain:rejected',
  ingest: 'brain:ingested',
  're-extract': 'brain:ingested',
};

/**
 * Returns the event of a committed change; null when it leaves no note. The note is that of the first step which creates or
 * changes one: steps that update links in other notes come later in a plan.
 */
export function vaultEvent({ op, steps }: Plan): VaultEvent | null {
  const note = steps.find(({ kind }) => kind !== 'remove');
  const removed = steps.find(({ kind }) => kind === 'remove');
  if (note === undefined) return null;
  const made = steps.flatMap(({ kind, path }) => (kind === 'create' ? path : []));
  // An ingest without a page has only added a source to notes with the same content.
  const name = NAMES[op] ?? 'brain:written';
  const isIngest = name === 'brain:ingested' && made.length > 0;
  return {
    name: name === 'brain:ingested' && !isIngest ? 'brain:written' : name,
    path: note.path,
    ...(isIngest && { paths: made }),
    ...(removed !== undefined && { from: removed.path }),
  };
}

/** Returns the path of the guidance note that a change rewrote; null for any other change. */
export function rewrittenRoot({ op, steps }: Plan): string | null {
  return op === 'edit-root' ? (steps[0]?.path ?? null) : null;
}
