import { apart, ITEMS_PER_STEP, type Steps, Tally, type TextTask } from '../base/steps';
import { type LinkTargets, NO_TARGETS, resolveLink } from '../links/resolve';
import { actingSteps, type Gated, type GateInput, gateSteps } from './gate';

/** What the gate asks of the catalog. */
type Asked = Pick<LinkTargets, 'holds' | 'title'> & Required<Pick<GateInput, 'resolve'>>;
type Lookup = keyof Asked;
type Arguments<Name extends Lookup> = Parameters<NonNullable<Asked[Name]>>;
type Answer<Name extends Lookup> = ReturnType<NonNullable<Asked[Name]>>;

/** What is known of the link targets: for each look-up the answers, by its arguments as JSON. */
type Known = { readonly [Name in Lookup]: Map<string, Answer<Name>> };

/** A look-up whose answer is not known yet. */
interface Question {
  readonly name: Lookup;
  /** The arguments as JSON. */
  readonly key: string;
}

type GateJob = Omit<GateInput, 'targets' | 'resolve'> & { readonly known: Known };
type GateOutcome = { readonly gated: Gated } | { readonly asked: readonly Question[] };

/**
 * The gate as a task for a thread, which cannot look into the catalog: it answers with what it has to know, until nothing is
 * missing.
 */
export const GATE: TextTask<GateJob, GateOutcome> = {
  name: 'gate',
  *steps({ known, ...input }) {
    const answers = new KnownAnswers(known);
    const targets: LinkTargets = {
      ...NO_TARGETS,
      holds: (...args) => answers.find('holds', args, true),
      title: (...args) => answers.find('title', args, ''),
    };
    const resolve: Asked['resolve'] = (...args) => answers.find('resolve', args, { status: 'missing' });
    const gated = yield* gateSteps({ ...input, targets, resolve });
    return answers.asked.length === 0 ? { gated } : { asked: answers.asked };
  },
  // A body that ends the thread is blamed together with the note that it was to change, which is innocent.
  textOf: ({ body, current = '' }) => body + current,
};

/** Tells whether a body holds anything that acts, as `actingSteps` does: a task for a thread that needs to know no link target. */
export const ACTING: TextTask<
  { readonly body: string; readonly activeContent: boolean },
  readonly string[] | null
> = {
  name: 'acting',
  steps: ({ body, activeContent }) => actingSteps(body, activeContent),
  textOf: ({ body }) => body,
};

/** Does the same as `gateSteps`; a long body may be gated in a thread. */
export function* gateApart(input: GateInput): Steps<Gated> {
  const { targets: _, ...job } = input;
  const known: Known = { resolve: new Map(), holds: new Map(), title: new Map() };
  const here = function* (): Steps<GateOutcome> {
    return { gated: yield* gateSteps(input) };
  };
  // Each run asks about targets that the one before could not know of, so there are mostly three.
  for (;;) {
    const outcome = yield* apart(GATE, { ...job, known }, here);
    if ('gated' in outcome) return outcome.gated;
    yield* learnSteps(known, outcome.asked, input);
  }
}

/** Looks up what a thread asked. */
function* learnSteps(known: Known, asked: readonly Question[], input: GateInput): Steps<void> {
  const tally = new Tally(ITEMS_PER_STEP);
  for (const question of asked) {
    learn(known, question, input);
    if (tally.isFull(LOOK_UP)) yield;
  }
}

/** A look-up costs as much as so many items. */
const LOOK_UP = 32;

function learn(known: Known, { name, key }: Question, { targets, from }: GateInput): void {
  // The key was made of the arguments of this look-up.
  const args: unknown = JSON.parse(key);
  switch (name) {
    case 'resolve': {
      const [target, relative] = args as Arguments<'resolve'>;
      known.resolve.set(key, resolveLink(target, from, targets, relative));
      break;
    }
    case 'holds':
      known.holds.set(key, targets.holds(...(args as Arguments<'holds'>)));
      break;
    case 'title':
      known.title.set(key, targets.title(...(args as Arguments<'title'>)));
  }
}

/** The answers that are known. It gives a placeholder for the rest, and notes what was asked. */
class KnownAnswers {
  readonly asked: Question[] = [];
  readonly #noted = new Set<string>();

  constructor(private readonly known: Known) {}

  find<Name extends Lookup>(name: Name, args: Arguments<Name>, placeholder: Answer<Name>): Answer<Name> {
    const key = JSON.stringify(args);
    const answers: ReadonlyMap<string, Answer<Name>> = this.known[name];
    const answer = answers.get(key);
    if (answer !== undefined) return answer;
    const noted = `${name} ${key}`;
    if (!this.#noted.has(noted)) {
      this.#noted.add(noted);
      this.asked.push({ name, key });
    }
    return placeholder;
  }
}
