import type * as z from 'zod';
import { allows, type Caller, type Scope } from '../access/tokens';
import { BrainError, called } from '../base/errors';
import { sha256 } from '../base/hash';
import { isRecord } from '../base/json';
import { refuseStopped, type Watch } from '../base/steps';
import type { Brain } from './context';
import { type FieldCodes, readInput } from './input';
import { canonical, type ChangedNote, idOf, readKey } from './keys';
import { refuseFormer, refuseInstructionNames, refuseLimited, refuseNamedWings } from './limits';
import { redacted } from './without-read';

/**
 * One operation of the service, which every door can call. `run` gets a parsed input and a caller with the needed scopes; it
 * returns the documented shape, or throws a BrainError with nothing changed.
 */
export interface Operation<In extends z.ZodObject = z.ZodObject, Out extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly scope: Scope;
  /** A scope that suffices instead, for the calls that `run` does not refuse without the other. */
  readonly orScope?: Scope;
  /** A second required scope, for an operation that also changes what another one decides. */
  readonly besides?: Scope;
  /** True when it can change the vault; the rate limit counts such calls, dry runs included. */
  readonly mutates: boolean;
  /** Returns true for an input with which an operation that `mutates` only reads; the rate limit does not count that call. */
  onlyReads?(input: z.output<In>): boolean;
  /**
   * True when it may answer while the vault is still being read, from what is known by then, and says so. Other operations
   * wait: link targets, for example, are unknown until every note has been read.
   */
  readonly early?: boolean;
  /**
   * The use of an idempotency key, where it is not that the change is made once. `answer`: a call that was cut goes on when it is
   * repeated and makes nothing twice; only its answer is kept. `none`: a repeated call answers as a new one does.
   */
  readonly keyed?: 'answer' | 'none';
  /**
   * True when it works on the whole vault or reports on it: a caller who may not read all of it is refused, and one who may not
   * write all of it when it changes something. Every other operation gets a brain that holds only what its caller may read.
   */
  readonly whole?: boolean;
  readonly input: In;
  readonly output: Out;
  /** Error codes for fields that have another meaning here than in other operations. */
  readonly codes?: FieldCodes;
  /** `watch` cancels the call and receives its progress; most operations end fast and ignore it. */
  run(brain: Brain, input: z.output<In>, caller: Caller, watch?: Watch): Promise<z.input<Out>>;
}

/** Declares an operation, so that the types of `run` follow from the schemas. */
export function operation<In extends z.ZodObject, Out extends z.ZodType>(
  definition: Operation<In, Out>,
): Operation<In, Out> {
  return definition;
}

/** Returns the first scope of an operation that the caller lacks; null when it has all. */
export function missingScope(
  { scope, orScope = scope, besides }: Pick<Operation, 'scope' | 'orScope' | 'besides'>,
  caller: Caller,
): Scope | null {
  if (!allows(caller, scope) && !allows(caller, orScope)) return scope;
  return besides === undefined || allows(caller, besides) ? null : besides;
}

/**
 * Performs an operation, as every door does: authorises, parses, counts, runs on what exists for the caller. Without the scope
 * `read` that is what the caller wrote; who may review, or may do what works on the whole vault, does it to the notes of others
 * too, and is told nothing of their contents.
 * A change whose call has an idempotency key is made once.
 * @throws BrainError `forbidden_scope`, an input code, `rate_limited`, `key_reused`, `busy` for a cancelled change, or the error
 * of the operation
 */
export async function perform<In extends z.ZodObject, Out extends z.ZodType>(
  brain: Brain,
  op: Operation<In, Out>,
  raw: unknown,
  caller: Caller,
  watch?: Watch,
): Promise<z.input<Out>> {
  if (caller.human && caller.origin === 'mcp') throw new Error('A call over MCP acts as a person.');
  const missing = missingScope(op, caller);
  if (missing !== null) {
    const alsoNeeded = missing === op.scope ? '' : ` beside "${op.scope}"`;
    throw new BrainError(
      'forbidden_scope',
      `This token may not do ${called(op.name, `"${op.name}"`)}: it needs the scope "${missing}"${alsoNeeded}. Ask the owner of the vault for a token that has it.`,
      { scope: missing },
    );
  }
  refuseLimited(op, caller);
  const input = readInput(op.input, raw, op.codes);
  const isChange = op.mutates && op.onlyReads?.(input) !== true;
  const key = keyOf(op, isChange, input, watch);
  const isBlind =
    !allows(caller, 'read') && (op.whole === true || op.scope === 'review' || op.scope === 'admin');
  const own = brain.viewFor(isBlind ? { ...caller, scopes: new Set([...caller.scopes, 'read']) } : caller);
  if (op.mutates) {
    refuseNamedWings(own, input);
    refuseInstructionNames(caller, input);
  }
  // A dry run takes as much work as the change, and what is kept for a key takes room.
  if (isChange || key !== undefined) brain.rate.take(caller.name);
  await (op.early === true ? brain.searchable() : brain.ready());
  // Every operation sees the current vault, whoever changed it. During the first load, the load itself provides that.
  if (op.early !== true || brain.isReady()) await brain.refresh();
  if (op.mutates) refuseStopped(watch?.signal);
  const run = () =>
    key === undefined ? op.run(own, input, caller, watch) : runOnce(own, op, { input, caller, watch, key });
  return isBlind ? redacted(op.name, run) : run();
}

/**
 * Returns the key under which a call is kept; undefined for a call without one, and for one that is not kept.
 * @throws BrainError `invalid_field` for what is no key
 */
function keyOf<In extends z.ZodObject>(
  { keyed }: Pick<Operation, 'keyed'>,
  isChange: boolean,
  input: z.output<In>,
  watch: Watch | undefined,
): string | undefined {
  if (!(isChange || keyed !== undefined) || input.dry_run === true) return undefined;
  const key = readKey(watch?.key);
  return keyed === 'none' ? undefined : key;
}

/** Resolves false for a job that the service has forgotten, as after a restart. */
async function isKnown({ jobs }: Pick<Brain, 'jobs'>, job: string, caller: Caller): Promise<boolean> {
  try {
    await jobs.look(job, caller);
    return true;
  } catch (error) {
    if (error instanceof BrainError && error.code === 'not_found') return false;
    throw error;
  }
}

/** Runs an operation whose call has a key, or returns the answer of the former call with it. */
async function runOnce<In extends z.ZodObject, Out extends z.ZodType>(
  own: Brain,
  op: Operation<In, Out>,
  call: {
    readonly input: z.output<In>;
    readonly caller: Caller;
    readonly watch: Watch | undefined;
    readonly key: string;
  },
): Promise<z.input<Out>> {
  const { input, caller, watch, key } = call;
  const id = idOf(caller, op.name, key);
  const keyed = {
    id,
    input: sha256(JSON.stringify([canonical(input), watch?.ifMatch])),
    sees: sha256(JSON.stringify([allows(caller, 'read'), caller.limits?.read])),
    seen: (notes: readonly ChangedNote[]) => {
      const [first] = notes;
      if (first !== undefined) refuseFormer(own, first.path);
      return notes.filter(({ path }) => own.limits?.sees(path) !== false);
    },
    isFinal: (answer: unknown) =>
      op.keyed !== 'answer' ||
      (watch?.signal?.stopped !== true &&
        !(isRecord(answer) && (answer.cancelled === true || answer.status === 'cancelled'))),
    holds: async (answer: unknown) => {
      const job = isRecord(answer) && answer.status === 'running' ? answer.job : undefined;
      return typeof job !== 'string' || (await isKnown(own, job, caller));
    },
  };
  const { answer, isReplayed } = await own.whole.keys.once(keyed, (intend) => {
    const acting = { ...own.acting, key: id };
    return op.run(op.keyed === 'answer' ? own : { ...own, acting, intend }, input, caller, watch);
  });
  if (isReplayed) watch?.replayed?.();
  return answer;
}
