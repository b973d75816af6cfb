import { StopController } from '../../src/core/base/concurrency';
import { BrainError } from '../../src/core/base/errors';
import { sha256 } from '../../src/core/base/hash';
import type { OperationName } from '../../src/core/operation/descriptors';
import type { Answer } from '../../src/core/registry/client';
import { runRules } from '../../src/core/rules/run';
import { fixedClock } from '../support/fixed-clock';
import { createMemoryVault } from '../support/memory-vault';
import { randomNumbers } from '../support/random-vectors';
import { ask, type Input, start, type Who, type World } from './world';

/** The time at which every history begins: days pass as a whole from here, so that every time zone has the same days. */
export const BEGIN = '2026-11-28T10:05:00Z';
const DAY_MS = 86_400_000;

/** The name of the only rule. */
const RULE = 'bobs';
/** The names of those who act, as an undo takes them. */
export const WRITERS = ['human:me', 'owner', 'bob', 'eve', 'limited', `human:me/rule:${RULE}`] as const;

/** The texts that are written. */
export const TEXTS = [
  '# Router\n\nThe router restarts itself every night at four.\n',
  '# Pipes\n\nCopper pipes need two clamps, see [[wiki/net/facts/alpha|Alpha]].\n',
  '# Violin\n\nA violin is tuned in fifths, as [[Beta]] says.\n',
  '# Garden\n\nTomatoes dislike wet leaves and late frost.\n',
  '# Backups\n\nCopies of all disks lie in the cellar: [[wiki/home/decisions/gamma]].\n',
  '# Owls\n\nTwelve owls sleep in an old barn.\n',
  '# Bread\n\nDough rests for a day before it is baked.\n',
] as const;
export const SOURCES = [
  'Minutes of the meeting in May.',
  'A letter of the neighbour about the fence.',
] as const;
const LABELS = ['https://example.org/a', 'minutes'] as const;

/** The vault at the beginning. */
const FILES = {
  'AGENTS.md': '# Guidance\n\nAsk before you write.\n',
  'Own/beta.md': '# Beta\n\nMine, see [[wiki/net/facts/alpha]].\n',
  'Own/plan.md': '---\ntags: [plan]\n---\n# Plan\n\nDig a pond. [[beta]]\n',
  'raw/2026-11-01-found.md': '# Found\n\nPut here by hand.\n',
  // No log knows the others: their stamps alone say what happened to them.
  'raw/2026-11-02-old.md': `---\n${stamps('eve')}---\n# Old\n\nWaits since long.\n`,
  'raw/rejected/2026-11-03-no.md': `---\n${stamps('bob', 'rejected')}reject_reason: no\n---\n# No\n\nA rumour of old.\n`,
  'wiki/net/facts/older.md': `---\nwing: net\nhall: facts\n${stamps('bob', 'promoted')}---\n# Older\n\nKnown of old, see [[Beta]].\n`,
};

function stamps(by: string, decided?: 'promoted' | 'rejected'): string {
  const decision =
    decided === undefined ? '' : `${decided}_at: 2026-11-05T09:00:00Z\n${decided}_by: human:me\n`;
  return `created_at: 2026-11-04T09:00:00Z\norigin: mcp\nwritten_by: ${by}\n${decision}`;
}

/** A history that has been lived. */
export interface Lived extends World {
  /** What was done, each with the code of its refusal if it was refused. */
  readonly steps: readonly (readonly unknown[])[];
  /** Every path at which a note ever stood, sorted. */
  readonly paths: readonly string[];
  /** A time in the midst of it. */
  readonly middle: string;
  /** The device on which it ends. */
  readonly device: string;
}

/** Draws what is done next from what stands in the vault. */
class Draw {
  /** Every text that ever stood at a path. */
  readonly stood = new Map<string, Set<string>>();
  /** The times of the steps. */
  readonly times: string[] = [BEGIN];
  readonly confirmed: Answer<'confirm'>[] = [];

  constructor(
    private readonly random: () => number,
    readonly files: ReadonlyMap<string, string>,
  ) {}

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  one<One>(...list: readonly [One, ...(readonly One[])]): One {
    return list[this.below(list.length)] ?? list[0];
  }

  /** A note below one of the folders; a name that no note has when there is none. */
  note(...folders: readonly string[]): string {
    const [first, ...others] = [...this.files.keys()]
      .filter((path) => path.endsWith('.md') && !path.endsWith('_index.md'))
      .filter((path) => folders.includes(zoneOf(path)))
      .sort();
    return first === undefined ? 'raw/none.md' : this.one(first, ...others);
  }

  judge(): Who {
    return this.one('me', 'me', 'me', 'me', 'owner', 'eve', 'eve', 'limited');
  }

  writer(): Who {
    return this.one('me', 'owner', 'bob', 'bob', 'eve', 'eve', 'limited');
  }

  place() {
    return {
      wing: this.one('net', 'net', 'home'),
      hall: this.one('facts', 'facts', 'decisions'),
      slug: this.one('alpha', 'beta', 'gamma', 'delta'),
    };
  }

  text(): string {
    return this.one(...TEXTS);
  }

  /** What a rejected note says, which somebody sends again. */
  rejected(): string {
    return this.files.get(this.note('raw/rejected'))?.replace(/^---\n.*?\n---\n/s, '') ?? this.text();
  }

  remember(): void {
    for (const [path, text] of this.files) {
      if (path.endsWith('_index.md')) continue;
      const texts = this.stood.get(path) ?? new Set();
      this.stood.set(path, texts.add(text));
    }
  }
}

/** Returns the folder that says what a note is: `raw`, `raw/rejected`, `wiki`, `knowledge`, `Own`. */
function zoneOf(path: string): string {
  return path.startsWith('raw/rejected/') ? 'raw/rejected' : path.slice(0, Math.max(0, path.indexOf('/')));
}

/** A call that is drawn: who calls what with which input. */
type Call = readonly [who: Who, name: OperationName, input: Input];

/** What is done by a single call. */
const CALLS = {
  write: (draw) => [draw.writer(), 'write', { ...draw.place(), content: draw.text() }],
  remember: (draw) => [draw.writer(), 'write', { content: draw.text() }],
  overwrite: (draw) => [draw.writer(), 'write', { ...draw.place(), content: draw.text(), overwrite: true }],
  update: (draw) => [
    draw.writer(),
    'update',
    { path: draw.note('raw', 'wiki', 'knowledge'), content: draw.text(), reason: 'newer' },
  ],
  capture: (draw) => [
    draw.writer(),
    'capture',
    { text: draw.one(draw.text(), draw.rejected()), wing: 'net', source: draw.one(...LABELS) },
  ],
  ingest: (draw) => [draw.writer(), 'ingest', { text: draw.one(...SOURCES), source: draw.one(...LABELS) }],
  ingestRaw: (draw) => [
    draw.writer(),
    'ingestRaw',
    {
      pages: [{ title: 'Page', content: draw.text(), ...draw.place() }],
      source: draw.one(...LABELS),
      destination: draw.one('raw', 'wiki'),
    },
  ],
  backfillRefs: (draw) => [draw.one('me', 'eve'), 'backfillRefs', {}],
  tunnels: (draw) => [draw.one('me', 'eve'), 'tunnels', {}],
  promote: (draw) => [draw.judge(), 'promote', { path: draw.note('raw'), ...draw.place() }],
  reject: (draw) => [draw.judge(), 'reject', { path: draw.note('raw'), reason: draw.one('wrong', '') }],
  restore: (draw) => [draw.judge(), 'restore', { path: draw.note('raw/rejected') }],
  adopt: (draw) => [
    draw.one('me', 'me', 'owner', 'eve'),
    'adopt',
    { path: draw.note('Own'), ...draw.place() },
  ],
  unpromote: (draw) => [draw.judge(), 'unpromote', { path: draw.note('wiki') }],
  replace: (draw) => [
    draw.judge(),
    'replace',
    { path: draw.note('raw'), replaces: draw.note('wiki', 'knowledge'), reason: 'better' },
  ],
  move: (draw) => [draw.judge(), 'move', { path: draw.note('wiki'), ...draw.place() }],
  snooze: (draw) => [
    draw.judge(),
    'snooze',
    { path: draw.note('raw'), until: draw.one(undefined, null, '2026-12-20') },
  ],
  editRoot: (draw) => [
    draw.one('me', 'owner', 'eve'),
    'editRoot',
    {
      content: draw.text(),
      reason: 'rules',
      expected_hash: sha256(draw.files.get('AGENTS.md') ?? ''),
    },
  ],
} as const satisfies Readonly<Record<string, (draw: Draw) => Call>>;

/** What takes more than one call, or none. */
type Act =
  | 'confirm'
  | 'unconfirm'
  | 'rule'
  | 'runRules'
  | 'undo'
  | 'undoBack'
  | 'hand'
  | 'former'
  | 'handMove'
  | 'reopen'
  | 'tear'
  | 'cut';
/** A thing that is done in a history. */
type Kind = keyof typeof CALLS | Act;

/** Everything that may come next, more often what is to happen more often. */
const KINDS: readonly [Kind, ...Kind[]] = [
  'write',
  ...times(6, 'write', 'promote'),
  ...times(5, 'update', 'ingestRaw', 'reject', 'unpromote', 'undo', 'hand'),
  ...times(4, 'restore', 'adopt', 'replace', 'move', 'rule', 'runRules', 'undoBack', 'cut'),
  ...times(3, 'overwrite', 'capture', 'ingest', 'editRoot', 'snooze', 'confirm', 'reopen'),
  ...times(2, 'remember', 'unconfirm', 'former'),
  ...times(1, 'backfillRefs', 'tunnels', 'handMove', 'tear'),
];

function times(count: number, ...kinds: readonly Kind[]): Kind[] {
  return Array.from({ length: count }, () => kinds).flat();
}

function isCall(kind: Kind): kind is keyof typeof CALLS {
  return kind in CALLS;
}

/** Lives a history: the same one for the same seed, as long as the service does the same. */
export async function live(seed: number): Promise<Lived> {
  const { getRandomValues } = crypto;
  const random = randomNumbers(~seed);
  // The service gives random names to some of its records.
  crypto.getRandomValues = (array) => {
    if (array instanceof Uint8Array) array.forEach((_, at) => (array[at] = Math.floor(random() * 256)));
    return array;
  };
  try {
    const clock = fixedClock(BEGIN);
    const vault = createMemoryVault(FILES, clock);
    const life = new Life(
      await start({ vault, clock }, [], 'one'),
      new Draw(randomNumbers(seed), vault.files),
    );
    return await life.live();
  } finally {
    crypto.getRandomValues = getRandomValues;
  }
}

/** Thrown where a process is killed. */
const CUT = new Error('cut');
const CUTTABLE = ['promote', 'reject', 'unpromote', 'replace', 'move', 'adopt', 'ingestRaw', 'undo'] as const;

class Life {
  readonly #steps: unknown[][] = [];
  #device = 'one';

  constructor(
    private world: World,
    private readonly draw: Draw,
  ) {}

  async live(): Promise<Lived> {
    const { draw } = this;
    const { clock } = this.world;
    draw.remember();
    for (let left = 14 + draw.below(25); left > 0; left -= 1) {
      clock.advance(draw.one(0, 0, 0, 400, 1000, 1000, 60_000, 60_000, DAY_MS));
      draw.times.push(clock.now().toISOString());
      await this.#act(draw.one(...KINDS));
      draw.remember();
    }
    const middle = draw.times[draw.times.length >> 1] ?? BEGIN;
    return {
      ...this.world,
      steps: this.#steps,
      paths: [...draw.stood.keys()].sort(),
      middle,
      device: this.#device,
    };
  }

  #act(kind: Kind): Promise<unknown> {
    if (!isCall(kind)) return this.#acts[kind]();
    const call: Call = CALLS[kind](this.draw);
    return this.#call(...call);
  }

  /** Calls an operation; null when it is refused or cut. */
  async #call<Name extends OperationName>(who: Who, name: Name, input: Input): Promise<Answer<Name> | null> {
    try {
      const answer = await ask(this.world, who, name, input);
      this.#steps.push([who, name, input]);
      return answer;
    } catch (error) {
      if (!(error instanceof BrainError) && error !== CUT) throw error;
      this.#steps.push([who, name, input, error instanceof BrainError ? error.code : 'cut']);
      return null;
    }
  }

  readonly #acts: Readonly<Record<Act, () => Promise<unknown>>> = {
    confirm: async () => {
      const { draw } = this;
      const answer = await this.#call(draw.judge(), 'confirm', { path: draw.note('wiki', 'knowledge') });
      if (answer !== null) draw.confirmed.push(answer);
    },
    unconfirm: async () => {
      const last = this.draw.confirmed.pop();
      if (last === undefined) return;
      const { path, previous_hash: undo, content_hash: expected_hash } = last;
      await this.#call('me', 'confirm', { path, undo, expected_hash });
    },
    rule: async () => {
      const { draw } = this;
      if (draw.below(6) === 0) return this.#call('me', 'setRule', { name: RULE, remove: true });
      const rule = { name: RULE, by: 'bob', wing: 'net', per_day: draw.one(1, 5) };
      const tried = await this.#call('me', 'setRule', { ...rule, dry_run: true });
      return this.#call('me', 'setRule', { ...rule, on: true, tried: tried?.tried });
    },
    runRules: async () => {
      const { draw } = this;
      await this.#call('bob', 'write', { ...draw.place(), wing: 'net', content: draw.text() });
      const { brain } = this.world.opened;
      this.#steps.push(['run rules']);
      await brain.refresh();
      await runRules(brain, new StopController());
    },
    undo: async () => {
      const { draw } = this;
      const who = draw.one('me', 'me', 'owner', 'eve');
      const scope = {
        by: draw.one('human:me', 'eve', ...WRITERS),
        since: draw.one('24h', ...draw.times.slice(0, draw.times.length / 2)),
      };
      const seen = await this.#call(who, 'undo', { ...scope, dry_run: true });
      return this.#call(who, 'undo', { ...scope, plan: seen?.plan });
    },
    undoBack: async () => {
      const [last, ...others] = (await ask(this.world, 'me', 'undos', {})).undos;
      if (last === undefined) return;
      const { undo } = this.draw.one(last, ...others);
      await this.#call(this.draw.one('me', 'owner', 'eve'), 'undoBack', { undo });
    },
    hand: async () => {
      const path = this.draw.note('raw', 'raw/rejected', 'wiki', 'knowledge', 'Own');
      const text = this.world.vault.files.get(path) ?? '# None\n';
      this.#byHand(path, this.draw.below(6) === 0 ? null : `${text}\nBy hand.\n`);
    },
    former: async () => {
      const path = this.draw.note('raw', 'wiki', 'knowledge', 'Own');
      this.#byHand(path, this.draw.one('# Anew\n', ...(this.draw.stood.get(path) ?? [])));
    },
    handMove: async () => {
      const { draw } = this;
      const from = draw.note('raw', 'wiki', 'Own');
      const text = this.world.vault.files.get(from);
      const { wing, hall, slug } = draw.place();
      const to = draw.one(`Own/${slug}.md`, `wiki/${wing}/${hall}/${slug}.md`);
      if (text === undefined || this.world.vault.files.has(to)) return;
      this.#byHand(from, null);
      this.#byHand(to, text);
    },
    reopen: async () => {
      await this.world.opened.close();
      await this.#start(this.draw.one('one', 'two'));
    },
    tear: async () => {
      const { files } = this.world.state;
      const logs = [...files.keys()]
        .filter((path) => path.endsWith('.jsonl') && !path.startsWith('local.'))
        .sort();
      const path = this.draw.one('none', ...logs);
      const text = files.get(path);
      if (text === undefined) return;
      this.#steps.push(['tear', path]);
      await this.world.opened.close();
      files.set(path, text.slice(0, -1 - this.draw.below(40)));
      await this.#start(this.#device);
    },
    cut: async () => {
      const { vault } = this.world;
      let left = this.draw.below(3);
      vault.intercept = () => {
        if ((left -= 1) < 0) throw CUT;
      };
      await this.#act(this.draw.one(...CUTTABLE));
      vault.intercept = () => undefined;
      await this.#start(this.#device);
    },
  };

  #byHand(path: string, text: string | null): void {
    this.#steps.push([text === null ? 'remove by hand' : 'write by hand', path]);
    this.world.vault.outside(path, text);
  }

  async #start(device: string): Promise<void> {
    this.#steps.push(['start', device]);
    this.#device = device;
    this.world = await start(this.world, this.world.state.files, device);
  }
}
