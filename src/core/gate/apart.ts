import { apart, ITEMS_PER_STEP, type Steps, Tally, type TextTask } from '../base/steps';
import type { LinkTargets } from '../links/resolve';
import { actingSteps, type Gated, type GateInput, gateSteps } from './gate';

/** A look-up of the link targets. */
type Lookup = keyof LinkTargets;
type Arguments<Name extends Lookup> = Parameters<Required<LinkTargets>[Name]>;
type Answer<Name extends Lookup> = ReturnType<Required<LinkTargets>[Name]>;

/** What is known of the link targets: for each look-up the answers, by its arguments as JSON. */
type Known = { readonly [Name in Lookup]: Map<string, Answer<Name>> };

/** A look-up whose answer is not known yet. */
interface Question {
  readonly name: Lookup;
  /** The arguments as JSON. */
  readonly key: string;
}

type GateJob = Omit<GateInput, 'targets'> & { readonly known: Known };
type GateOutcome = { readonly gated: Gated } | { readonly asked: readonly Question[] };

/**
 * The gate as a task for a thread, which cannot look into the catalog: it answers with what it has to know, until nothing is
 * missing.
 */
export const GATE: TextTask<GateJob, GateOutcome> = {
  name: 'gate',
  *steps({ known, ...input }) {
    const targets = new KnownTargets(known);
    const gated = yield* gateSteps({ ...input, targets });
    return targets.asked.length === 0 ? { gated } : { asked: targets.asked };
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
  const { targets, ...job } = input;
  const known: Known = {
    has: new Map(),
    candidates: new Map(),
    admits: new Map(),
    within: new Map(),
    holds: new Map(),
    title: new Map(),
  };
  const here = function* (): Steps<GateOutcome> {
    return { gated: yield* gateSteps(input) };
  };
  // Each run asks about targets that the one before could not know of, so there are mostly three.
  for (;;) {
    const outcome = yield* apart(GATE, { ...job, known }, here);
    if ('gated' in outcome) return outcome.gated;
    yield* learnSteps(known, outcome.asked, targets);
  }
}

/** Looks up what a thread asked. */
function* learnSteps(known: Known, asked: readonly Question[], targets: LinkTargets): Steps<void> {
  const tally = new Tally(ITEMS_PER_STEP);
  for (const question of asked) {
    learn(known, question, targets);
    if (tally.isFull(8)) yield;
  }
}

function learn(known: Known, { name, key }: Question, targets: LinkTargets): void {
  // The key was made of the arguments of this look-up.
  const args: unknown = JSON.parse(key);
  switch (name) {
    case 'has':
      known.has.set(key, targets.has(...(args as Arguments<'has'>)));
      break;
    case 'candidates':
      known.candidates.set(key, targets.candidates(...(args as Arguments<'candidates'>)));
      break;
    case 'admits':
      known.admits.set(key, targets.admits?.(...(args as Arguments<'admits'>)) ?? null);
      break;
    case 'within':
      known.within.set(key, targets.within?.(...(args as Arguments<'within'>)) ?? null);
      break;
    case 'holds':
      known.holds.set(key, targets.holds(...(args as Arguments<'holds'>)));
      break;
    case 'title':
      known.title.set(key, targets.title(...(args as Arguments<'title'>)));
  }
}

/** Link targets as far as they are known. It gives a placeholder for the rest, and notes what was asked. */
class KnownTargets implements Required<LinkTargets> {
  readonly asked: Question[] = [];
  readonly #noted = new Set<string>();

  constructor(private readonly known: Known) {}

  has(...args: Arguments<'has'>): Answer<'has'> {
    return this.#look('has', args, null);
  }

  candidates(...args: Arguments<'candidates'>): Answer<'candidates'> {
    return this.#look('candidates', args, []);
  }

  admits(...args: Arguments<'admits'>): Answer<'admits'> {
    return this.#look('admits', args, null);
  }

  within(...args: Arguments<'within'>): Answer<'within'> {
    return this.#look('within', args, null);
  }

  holds(...args: Arguments<'holds'>): boolean {
    return this.#look('holds', args, true);
  }

  title(...args: Arguments<'title'>): string {
    return this.#look('title', args, '');
  }

  #look<Name extends Lookup>(name: Name, args: Arguments<Name>, placeholder: Answer<Name>): Answer<Name> {
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
