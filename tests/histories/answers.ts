import { BrainError } from '../../src/core/base/errors';
import { isSha } from '../../src/core/base/hash';
import type { OperationName } from '../../src/core/operation/descriptors';
import { fixedClock } from '../support/fixed-clock';
import { createMemoryVault } from '../support/memory-vault';
import { BEGIN, type Lived, live, SOURCES, TEXTS, WRITERS } from './live';
import { ask, type Input, start, type Who, type World } from './world';

/** What is asked of a reader of the logs. */
export type Question = readonly [who: Who, name: OperationName, input: Input];

/** A history as it is recorded: the files that it left, and what the service says about them. */
export interface Recorded {
  readonly seed: number;
  /** The time at which the answers were given. */
  readonly at: string;
  readonly steps: Lived['steps'];
  /** The vault, by path. */
  readonly vault: Readonly<Record<string, string>>;
  /** The logs and records below `.brain/`, by path. */
  readonly kept: Readonly<Record<string, string>>;
  readonly answers: readonly (readonly [...Question, answer: unknown])[];
}

/** Lives a history and records it. */
export async function record(seed: number): Promise<Recorded> {
  const lived = await live(seed);
  await lived.opened.close();
  const history = {
    seed,
    at: lived.clock.now().toISOString(),
    steps: lived.steps,
    vault: sorted(lived.vault.files),
    kept: sorted([...lived.state.files].filter(([path]) => !path.startsWith('local.'))),
  };
  const world = await open(history);
  const answers: [...Question, unknown][] = [];
  for await (const question of questions(world, lived))
    answers.push([...question, await answerTo(world, ...question)]);
  await world.opened.close();
  return { ...history, answers };
}

/** Opens the files of a history, at the time of its end. */
export function open({ at, vault, kept }: Pick<Recorded, 'at' | 'vault' | 'kept'>): Promise<World> {
  const clock = fixedClock(at);
  return start({ clock, vault: createMemoryVault(vault, clock) }, Object.entries(kept), 'one');
}

/** Returns what the service answers as JSON, as far as logs have a say in it; the code of a refusal. */
export async function answerTo(world: World, ...[who, name, input]: Question): Promise<unknown> {
  try {
    const answer: object = await ask(world, who, name, input);
    const told = name === 'note' || 'hash' in input ? only(['path', 'status', 'history'], answer) : answer;
    return JSON.parse(
      JSON.stringify(told, (key, value: unknown) => (OF_THE_FILES.has(key) ? undefined : shortened(value))),
    );
  } catch (error) {
    if (!(error instanceof BrainError)) throw error;
    return error.code;
  }
}

/** The parts of answers in which logs have no say. */
const OF_THE_FILES: ReadonlySet<string> = new Set([
  ...[
    'content',
    'body',
    'frontmatter',
    'excerpt',
    'text',
    'bytes',
    'age_days',
    'created_at',
    'stale',
    'truncated',
  ],
  ...['similar', 'outgoing', 'backlinks', 'same_tags', 'suggested', 'refs', 'unlinked'],
]);

/** What else is said of a text stands in it. */
function only(keys: readonly string[], answer: object): object {
  return Object.fromEntries(Object.entries(answer).filter(([key]) => keys.includes(key)));
}

/** Shortens a hash, of which every answer has many. */
function shortened(value: unknown): unknown {
  return isSha(value) ? value.slice(0, 12) : value;
}

function sorted(entries: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Yields what is asked, so that every reader of the logs answers. */
export async function* questions(world: World, { paths, middle }: Lived): AsyncGenerator<Question> {
  const { vault, state } = world;
  const dry_run = true;
  const below = (folder: string) =>
    [...vault.files.keys()].filter((path) => path.startsWith(folder) && !path.endsWith('_index.md')).sort();
  const hashes = [...state.files.keys()]
    .flatMap((path) => /^history\/..\/([0-9a-f]{64})\.md$/.exec(path)?.[1] ?? [])
    .sort();

  for (const who of ['me', 'limited'] as const) {
    yield [who, 'decisions', { limit: 200 }];
    yield [who, 'pending', { similar: false }];
    const seen = paths.filter((path) => who === 'me' || /^(?:wiki.net|raw)./.test(path));
    for (const path of seen) yield [who, 'history', { path }];
    for (const hash of hashes) yield [who, 'history', { hash }];
  }
  for (const by of WRITERS) {
    yield ['me', 'undo', { by, since: BEGIN, dry_run }];
  }
  for (const by of ['human:me', 'eve']) {
    yield ['me', 'decisions', { by, limit: 1 }];
    yield ['me', 'undo', { by, since: middle, dry_run }];
  }
  yield ['eve', 'undo', { by: 'human:me', since: BEGIN, dry_run }];
  yield ['me', 'undos', {}];
  for (const { undo } of (await ask(world, 'me', 'undos', {})).undos)
    yield ['me', 'undoBack', { undo, dry_run }];
  yield ['me', 'rules', {}];
  for (const { name } of (await ask(world, 'me', 'rules', {})).rules)
    yield ['me', 'setRule', { name, dry_run }];
  for (const path of below('raw/rejected/')) yield ['me', 'restore', { path, dry_run }];
  for (const path of [...below('wiki/'), ...below('knowledge/')]) {
    yield ['me', 'note', { path }];
    yield ['me', 'decisions', { path, limit: 1 }];
    for (const who of ['me', 'eve'] as const) yield [who, 'unpromote', { path, dry_run }];
    yield ['me', 'move', { path, slug: 'alpha', dry_run }];
  }
  for (const text of SOURCES) yield ['me', 'ingest', { text, dry_run }];
  const pages = TEXTS.map((content) => ({ title: 'Page', content }));
  yield ['me', 'ingestRaw', { pages, dry_run }];
  yield ['me', 'backfillRefs', { dry_run }];
}
