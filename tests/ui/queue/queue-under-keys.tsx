import { type Ask, CallError } from '../../../src/core/registry/client';
import { UiProvider } from '../../../src/ui/client/context';
import { QueueScreen } from '../../../src/ui/queue/screen';
import { type Dom, makeDom } from '../../support/ui/dom';
import { quietHost } from '../../support/ui/quiet-host';
import { scriptedClient } from '../../support/ui/screen-page';
import { entry } from './entries';

/** A decision that the service was asked for, with the note as the request names it. */
interface Made {
  readonly kind: 'promote' | 'reject';
  readonly path: string;
  readonly hash: string;
}

/** A key that went down, not its repetitions, and the note that had been painted in full by then: `path hash`. */
interface Press {
  readonly key: string;
  readonly shown: string | null;
  /** True when the text was shown as a promotion would leave it. */
  readonly isStanding: boolean;
}

/** A queue in a document without a browser, whose answers come late and whose keys can be held. */
export interface QueueUnderKeys {
  readonly dom: Dom;
  readonly made: readonly Made[];
  readonly presses: readonly Press[];
  /** Presses a key, or repeats one that is held. */
  down(key: string): void;
  up(key: string): void;
  /** Lets time pass (ms): answers come, timers run, frames are painted. */
  wait(ms: number): Promise<void>;
  /** Writes a new text into a note of the queue, which the screen hears of. */
  rewrite(index: number): void;
  /** Writes a note with this title, similar to all of the queue, which the screen hears of. */
  write(title: string): void;
  /** Returns the words of the bar. */
  bar(): string;
  /** Returns the notes that are in the queue of the service. */
  queued(): readonly string[];
  close(): void;
}

/** The time between two frames (ms). */
const FRAME_MS = 60;

const hashOf = (name: string, version: number): string => `${name}v${version}`.padEnd(64, '0');
const idOf = (path: string, hash: string): string => `${path} ${hash}`;

/** The words that show a text, its gate and its similar notes: another version has others. */
const wordsOf = (name: string, version: number) => ({
  text: `Text of ${name} in version ${version}.`,
  gate: `lost ${name} ${version}`,
  similar: `Twin of ${name} ${version}`,
});

/** Stands behind the text once it is known what a promotion makes of it. */
const CHECKED = ' As it will stand.';
const bodyOf = (name: string, version: number, end: string): string =>
  `# ${name}\n\n${wordsOf(name, version).text}${end}`;

/** The service of the test: notes with versions, and what each call answers at that moment. */
function makeService(notes: number, withoutHall: (index: number) => boolean) {
  const names = Array.from({ length: notes }, (_, index) => `note-${String(index).padStart(3, '0')}`);
  const versions = new Map(names.map((name) => [name, 0]));
  const found = (path = ''): { name: string; version: number } => {
    const name = path.replace(/^raw\/|\.md$/g, '');
    const version = versions.get(name);
    if (version === undefined) throw new CallError('source_missing', 'It is gone.');
    return { name, version };
  };
  const entryOf = (name: string) => {
    const version = versions.get(name) ?? 0;
    const index = names.indexOf(name);
    return entry(name, 1, {
      created_at: new Date(Date.UTC(2026, 10, 1, 0, index)).toISOString(),
      content_hash: hashOf(name, version),
      suggested: { wing: 'homelab', slug: name, ...(!withoutHall(index) && { hall: 'facts' as const }) },
    });
  };
  const take = (path: string | undefined, hash: string | undefined): void => {
    const { name, version } = found(path);
    if (hash !== hashOf(name, version)) throw new CallError('hash_mismatch', 'It has changed.');
    versions.delete(name);
  };
  return { versions, found, entryOf, take };
}

/** Mounts the queue. `delays` gives the time that each answer takes (ms), again from its start after the last. */
export async function openQueueUnderKeys(options: {
  readonly notes: number;
  readonly delays: readonly number[];
  readonly withoutHall?: (index: number) => boolean;
  /** The number of dry runs, the first ones, that the service is too busy for. */
  readonly busy?: number;
}): Promise<QueueUnderKeys> {
  const { notes, delays, withoutHall = () => false } = options;
  let { busy = 0 } = options;
  const service = makeService(notes, withoutHall);
  const { versions, found, entryOf, take } = service;
  const dom = makeDom();
  const view = dom.container.ownerDocument.defaultView;
  if (view === null) throw new Error('The document has no window.');
  Object.assign(view.Element.prototype, {
    scrollIntoView: () => undefined,
    scrollBy: () => undefined,
    // Without layout nothing has a box; here everything has one.
    getClientRects: () => [{}],
  });
  Object.assign(view, {
    matchMedia: () => ({ matches: true }),
    // Few frames, which the test has to wait for one by one.
    requestAnimationFrame: (run: () => void) => setTimeout(run, FRAME_MS),
    cancelAnimationFrame: (id: ReturnType<typeof setTimeout>) => clearTimeout(id),
  });

  const made: Made[] = [];
  const presses: Press[] = [];
  let shown: string | null = null;
  let isStanding = false;
  const noted = (kind: Made['kind'], path = '', hash = ''): void => void made.push({ kind, path, hash });

  let turn = 0;
  const late = async <T,>(answer: () => T): Promise<T> => {
    turn += 1;
    const delay = delays[turn % delays.length] ?? 0;
    await new Promise((resolve) => setTimeout(resolve, delay));
    return answer();
  };
  const written: string[] = [];
  const listeners = new Set<() => void>();
  const changed = (): void => [...listeners].forEach((listener) => listener());
  const client = {
    ...scriptedClient({
      pending: ({ path, limit = 20, offset = 0 }) =>
        late(() => {
          const all = [...versions.keys()].filter((name) => path === undefined || `raw/${name}.md` === path);
          const pending = all.slice(offset, offset + limit).map((name) => ({
            ...entryOf(name),
            similar:
              path === undefined
                ? []
                : [
                    {
                      path: `wiki/ops/facts/twin-${name}.md`,
                      title: wordsOf(name, versions.get(name) ?? 0).similar,
                      stale: false,
                      shared: ['twin'],
                    },
                    ...written.map((title) => ({
                      path: `wiki/ops/facts/${title}.md`,
                      title,
                      stale: false,
                      shared: ['written'],
                    })),
                  ],
          }));
          return { count: pending.length, total: all.length, pending };
        }),
      wings: () => late(() => ({ wings: [] })),
      note: ({ path }) =>
        late(() => {
          const { name, version } = found(path);
          return {
            path: path ?? '',
            title: name,
            status: 'raw' as const,
            frontmatter: {},
            body: bodyOf(name, version, ''),
            content_hash: hashOf(name, version),
            stale: false,
            history: 0,
            outgoing: [],
            backlinks: [],
            same_tags: [],
            truncated: false,
          };
        }),
      gate: ({ path }) =>
        late(() => {
          const { name, version } = found(path);
          const target = wordsOf(name, version).gate;
          const ref = {
            kind: 'wikilink',
            target,
            text: target,
            line: 1,
            unlinked: true,
            reason: 'missing',
          } as const;
          return {
            path,
            content_hash: hashOf(name, version),
            refs: [ref],
            unlinked: [],
            findings: [],
            findings_hash: 'none',
            warnings: [],
          };
        }),
      promote: (ask) => {
        if (ask.dry_run !== true) noted('promote', ask.path, ask.expected_hash);
        busy -= 1;
        if (busy >= 0) throw new CallError('busy', 'The server is busy.');
        return late(() => promoted(ask));
      },
      reject: ({ path, expected_hash: hash }) => {
        noted('reject', path, hash);
        return late(() => {
          take(path, hash);
          return rejected(path ?? '');
        });
      },
      unpromote: ({ path }) =>
        late(() => {
          const name = path.split('/').at(-1)?.replace(/\.md$/, '') ?? '';
          versions.set(name, 0);
          return { path: `raw/${name}.md`, from: path };
        }),
      restore: ({ path }) =>
        late(() => {
          const name = path.split('/').at(-1)?.replace(/\.md$/, '') ?? '';
          versions.set(name, 0);
          return { path: `raw/${name}.md`, from: path };
        }),
    }),
    changes: (listener: () => void) => {
      const own = (): void => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
  };
  const promoted = ({
    path = '',
    wing,
    hall,
    slug = '',
    dry_run: dry,
    expected_hash: hash,
  }: Ask<'promote'>) => {
    const { name, version } = found(path);
    if (dry !== true) take(path, hash);
    return {
      path: `wiki/${wing}/${hall}/${slug}.md`,
      from: path,
      wing,
      hall,
      slug,
      content_hash: hashOf(name, version),
      promoted_at: '2026-11-20T00:00:00Z',
      index: `wiki/${wing}/_index.md`,
      tunnels: [],
      relinked: 0,
      refs: [],
      warnings: [],
      ...(dry === true && { body: bodyOf(name, version, CHECKED) }),
    };
  };
  const rejected = (path: string) => ({
    path,
    rejected_path: path.replace('raw/', 'raw/rejected/'),
    rejected_at: '2026-11-20T00:00:00Z',
    linked_from: [],
  });

  const shownNote = (): string | null => {
    const text = dom.container.querySelector('.brain-preview')?.textContent ?? '';
    const [, name, version] = /Text of (note-\d+) in version (\d+)\./.exec(text) ?? [];
    if (name === undefined) return null;
    const facts = dom.container.querySelector('.brain-decision')?.textContent ?? '';
    const { gate, similar } = wordsOf(name, Number(version));
    const isFull = facts.includes(gate) && facts.includes(similar);
    return isFull ? idOf(`raw/${name}.md`, hashOf(name, Number(version))) : null;
  };
  const look = (): void => {
    shown = shownNote();
    isStanding = dom.container.querySelector('.brain-preview')?.textContent?.includes(CHECKED) === true;
    view.requestAnimationFrame(look);
  };
  view.requestAnimationFrame(look);

  const held = new Map<string, boolean>();
  const send = (type: 'keydown' | 'keyup', key: string, repeat: boolean): void => {
    const target = dom.container.ownerDocument.activeElement ?? dom.container;
    const code = key.length === 1 && /[a-z]/i.test(key) ? `Key${key.toUpperCase()}` : key;
    const init = { key, code, repeat, view, bubbles: true, cancelable: true };
    const event = new view.KeyboardEvent(type, init);
    const isKept = target.dispatchEvent(event);
    if (type === 'keydown' && key === 'Enter' && isKept) pressWithEnter(target);
  };
  /** A browser presses a button, or submits the form of a field, at Enter. */
  const pressWithEnter = (target: Element): void => {
    if (target.matches('button')) target.dispatchEvent(new view.MouseEvent('click', { bubbles: true }));
    else if (target.matches('input'))
      target.closest('form')?.dispatchEvent(new view.Event('submit', { bubbles: true, cancelable: true }));
  };

  dom.show(
    <UiProvider value={{ client, host: quietHost() }}>
      <div class="brain-screen">
        <QueueScreen params={{}} />
      </div>
    </UiProvider>,
  );
  const wait = async (ms: number): Promise<void> => {
    await jest.advanceTimersByTimeAsync(ms);
  };
  return {
    dom,
    made,
    presses,
    wait,
    down: (key) => {
      const repeat = held.has(key);
      held.set(key, true);
      if (!repeat) presses.push({ key, shown, isStanding });
      send('keydown', key, repeat);
    },
    up: (key) => {
      held.delete(key);
      send('keyup', key, false);
    },
    rewrite: (index) => {
      const name = [...versions.keys()][index % Math.max(versions.size, 1)];
      if (name !== undefined) versions.set(name, (versions.get(name) ?? 0) + 1);
      changed();
    },
    write: (title) => {
      written.push(title);
      changed();
    },
    bar: () => dom.container.querySelector('.brain-last, .brain-queue > [role="status"]')?.textContent ?? '',
    queued: () => [...versions.keys()],
    close: () => dom.show(null),
  };
}
