import type * as z from 'zod';
import { allows, type Caller, type Scope } from '../access/caller';
import { BrainError } from '../base/errors';
import { refuseStopped, type Watch } from '../base/steps';
import { refreshCatalog } from '../catalog/load';
import type { Brain } from './context';
import { type FieldCodes, readInput } from './input';
import { answerWithoutRead, errorWithoutRead } from './without-read';

/**
 * One thing the service can do, known to every door. `run` gets an input that its schema has accepted and
 * a caller that holds what it needs; it answers the documented shape or throws a BrainError with nothing changed.
 */
export interface Operation<In extends z.ZodObject = z.ZodObject, Out extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly scope: Scope;
  /** A second scope that is needed beside it, where what another one decides is changed too. */
  readonly besides?: Scope;
  /** True when it can change the vault; such calls are counted by the rate limit, with `dry_run` too. */
  readonly mutates: boolean;
  /** True for an input with which an operation that `mutates` only reads; the rate limit does not count such a call. */
  onlyReads?(input: z.output<In>): boolean;
  /**
   * True when it may answer while the vault is still being read, from what is known by then, and says so. Others wait: where
   * a link leads, for one, nobody knows before every note has been read.
   */
  readonly early?: boolean;
  readonly input: In;
  readonly output: Out;
  /** Codes for wrong values of fields that mean here something else than at other operations. */
  readonly codes?: FieldCodes;
  /** `watch` is whoever waits for the answer; most answer at once and have no use for it. */
  run(brain: Brain, input: z.output<In>, caller: Caller, watch?: Watch): Promise<z.input<Out>>;
}

/** Declares an operation; only there so that the types of `run` follow from the schemas. */
export function operation<In extends z.ZodObject, Out extends z.ZodType>(
  definition: Operation<In, Out>,
): Operation<In, Out> {
  return definition;
}

/** The first scope that a caller lacks for an operation, or null when it holds all that is needed. */
export function missingScope(
  { scope, besides }: Pick<Operation, 'scope' | 'besides'>,
  caller: Caller,
): Scope | null {
  if (!allows(caller, scope)) return scope;
  return besides === undefined || allows(caller, besides) ? null : besides;
}

/**
 * The one way into an operation: authorise, parse, count, run.
 * A caller without the scope `read` is told nothing of what notes say, whatever it did.
 * @throws BrainError `forbidden_scope`, an input code, `rate_limited`, `busy` for a change that nobody waits for any more, or
 * what the operation throws.
 */
export async function perform<In extends z.ZodObject, Out extends z.ZodType>(
  brain: Brain,
  op: Operation<In, Out>,
  raw: unknown,
  caller: Caller,
  watch?: Watch,
): Promise<z.input<Out>> {
  const missing = missingScope(op, caller);
  if (missing !== null) {
    const beside = missing === op.scope ? '' : ` beside "${op.scope}"`;
    throw new BrainError(
      'forbidden_scope',
      `This token may not do "${op.name}": it needs the scope "${missing}"${beside}. Ask the owner of the vault for a token that has it.`,
      { scope: missing },
    );
  }
  const input = readInput(op.input, raw, op.codes);
  // What would come of a change takes as much work as the change.
  if (op.mutates && op.onlyReads?.(input) !== true) brain.rate.take(caller.name);
  if (op.early === true) await brain.searchable();
  else await brain.ready();
  // Everyone acts on the vault as it is now, whoever changed it; while it is being read for the first time, that is under way.
  if (op.early !== true || brain.isReady()) await refreshCatalog(brain);
  if (op.mutates) refuseStopped(watch?.signal);
  if (allows(caller, 'read')) return op.run(brain, input, caller, watch);
  try {
    // The shape stays that of the operation: lists are emptied, and fields go that may be missing.
    return answerWithoutRead(op.name, await op.run(brain, input, caller, watch)) as z.input<Out>;
  } catch (error) {
    throw errorWithoutRead(error);
  }
}
