import { allows, type Caller, type TokenLimits } from '../access/tokens';
import { BrainError } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import { isRecord } from '../base/json';
import { firstPoints } from '../base/text';
import { firstFreePath } from '../catalog/knowledge';
import { isOptional, type Plan } from '../storage/plan';
import { isInstructionName, wingOfPath } from '../vocabulary/address';
import { fileName, type VaultPath, zoneOf } from '../vocabulary/paths';
import { CallerLimits } from '../vocabulary/token-limits';
import type { Brain } from './context';

/** A brain as one caller sees it. */
interface Viewed extends Pick<Brain, 'limits'> {
  readonly whole: Pick<Brain, 'catalog' | 'vault'>;
}

/** A caller's limits, and the names of the whole vault. */
interface Naming extends Pick<Brain, 'limits'> {
  readonly whole: { readonly catalog: Pick<Brain['catalog'], 'taken'> };
}

/** An operation, as far as limits ask for it. */
interface Work {
  readonly name: string;
  readonly mutates: boolean;
  readonly whole?: boolean;
}

/** Returns true for an operation on the whole vault, when the caller may not see or change all of it. */
export function needsWhole(
  { whole = false, mutates }: Omit<Work, 'name'>,
  limits: TokenLimits | undefined,
): boolean {
  return whole && (limits?.read !== undefined || (mutates && limits?.writeWings !== undefined));
}

/**
 * Refuses an operation on the whole vault to a caller with limits.
 * @throws BrainError `forbidden_scope`
 */
export function refuseLimited(op: Work, { limits, name }: Pick<Caller, 'limits' | 'name'>): void {
  if (limits === undefined || !needsWhole(op, limits)) return;
  throw new BrainError(
    'forbidden_scope',
    `This token may not do "${op.name}", which works on the whole vault. ${new CallerLimits(limits, name).description} Ask the owner of the vault for a token without this limit.`,
  );
}

/**
 * Refuses a call that names a wing into which the caller may not write, before anything is looked up.
 * @throws BrainError `forbidden_scope`
 */
export function refuseNamedWings(
  { limits }: Pick<Viewed, 'limits'>,
  input: Readonly<Record<string, unknown>>,
): void {
  if (limits === null || !limits.hasWriteWings) return;
  for (const { wing } of placesIn(input)) {
    if (typeof wing === 'string' && !limits.writesInto(wing)) {
      throw new BrainError(
        'forbidden_scope',
        `This token may not write into the wing "${wing}". ${limits.description}`,
        { wing },
      );
    }
  }
}

/** Returns what names places for notes in an input: itself, and the pages of a batch. */
function placesIn(input: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  const pages: readonly unknown[] = Array.isArray(input.pages) ? input.pages : [];
  return [input, ...pages.filter(isRecord)];
}

/**
 * Refuses a call that names a file which coding agents would load as instructions, unless the caller may change guidance. Whether
 * a call that overwrites makes such a file follows from the vault, so the placing of the note refuses that one.
 * @throws BrainError `forbidden_scope`
 */
export function refuseInstructionNames(caller: Caller, input: Readonly<Record<string, unknown>>): void {
  if (input.overwrite === true) return;
  for (const { slug, filename } of placesIn(input)) refuseInstructions(caller, [slug, filename]);
}

/**
 * Refuses to make a file of a name that coding agents load as instructions, unless the caller may change guidance.
 * @param names file names or paths; other values are passed over
 * @throws BrainError `forbidden_scope`
 */
export function refuseInstructions(caller: Caller, names: readonly unknown[]): void {
  if (allows(caller, 'admin')) return;
  const name = names.find(
    (each): each is string => typeof each === 'string' && isInstructionName(fileName(each)),
  );
  if (name === undefined) return;
  throw new BrainError(
    'forbidden_scope',
    `Coding agents load a file named "${firstPoints(name, MAX_SHOWN_NAME)}" as instructions, so this name needs the scope "admin". Choose another name, or leave it out: one is made from the title.`,
    { scope: 'admin' },
  );
}

/**
 * Refuses to change a file that coding agents load as instructions, unless the caller may change guidance. Their names have
 * capitals: a note in small letters is one that the service has named.
 * @throws BrainError `forbidden_scope`
 */
export function refuseInstructionFile(caller: Caller, path: VaultPath): void {
  const name = fileName(path);
  if (allows(caller, 'admin') || !isInstructionName(name) || name === name.toLowerCase()) return;
  throw new BrainError(
    'forbidden_scope',
    `Coding agents load ${path} as instructions, so changing it needs the scope "admin".`,
    { scope: 'admin', path },
  );
}

/** The longest name in a message (code points). */
const MAX_SHOWN_NAME = 100;

/** Returns the paths that the caller may read. */
export function seenOf(
  { limits }: Pick<Viewed, 'limits'>,
  paths: readonly VaultPath[],
): readonly VaultPath[] {
  return limits === null ? paths : paths.filter((path) => limits.sees(path));
}

/**
 * Returns the brain in which a caller changes a note of the queue: what it has proposed itself it finds also where it may not read.
 */
export function withOwn(brain: Brain, caller: Caller, path: VaultPath): Brain {
  if (brain.limits?.sees(path) !== false || zoneOf(path) !== 'raw') return brain;
  const scopes = new Set(caller.scopes);
  scopes.delete('read');
  const { intend } = brain;
  return { ...brain.viewFor({ ...caller, scopes }), ...(intend && { intend }) };
}

/** Returns true when the caller may put a note at this path and change the one there; the queue is open to all. */
export function mayWrite({ limits }: Pick<Viewed, 'limits'>, path: VaultPath): boolean {
  if (limits === null) return true;
  const inQueue = isInQueue(path);
  if (!limits.reaches(path)) return inQueue && limits.sees(path);
  if (inQueue || !limits.hasWriteWings) return true;
  const wing = wingOfPath(path);
  return wing !== null && limits.writesInto(wing);
}

/** @throws BrainError `forbidden_scope` unless `mayWrite`; the text is equal whether or not there is a file */
export function refuseUnwritable(brain: Pick<Viewed, 'limits'>, path: VaultPath): void {
  if (mayWrite(brain, path)) return;
  throw new BrainError(
    'forbidden_scope',
    `This token may not write to ${path}. ${brain.limits?.description ?? ''}`,
    { path },
  );
}

/**
 * Refuses a plan that writes where the caller may not. Optional edits follow from the change, such as those of links to a moved
 * note, and belong to the service.
 * @throws BrainError `forbidden_scope`, `taken`
 */
export function refusePlan(brain: Naming, plan: Plan | null): void {
  if (brain.limits === null) return;
  for (const step of plan?.steps ?? []) {
    if (isOptional(step)) continue;
    if (step.kind !== 'create' || !isInQueue(step.path)) refuseUnwritable(brain, step.path);
    if (step.kind === 'create') refuseHeld(brain, step.path);
  }
}

/**
 * Refuses what `refusePlan` would refuse now of a change that was made at this path before.
 * @throws BrainError `forbidden_scope`
 */
export function refuseFormer(brain: Pick<Viewed, 'limits'>, path: VaultPath): void {
  if (!isInQueue(path)) refuseUnwritable(brain, path);
}

function isInQueue(path: VaultPath): boolean {
  return ['raw', 'rejected'].includes(zoneOf(path));
}

/** Returns true for the places of notes, whose names callers choose. */
function isPlace(path: VaultPath): boolean {
  return ['wiki', 'knowledge'].includes(zoneOf(path));
}

/** Returns the file that has a name and that the caller may not see; null when there is none. */
function heldBy({ limits, whole: { catalog } }: Naming, path: VaultPath): VaultPath | null {
  const there = limits === null ? null : catalog.taken(path);
  return there === null || limits?.sees(there) !== false ? null : there;
}

/**
 * Returns the error for a name that is held by what the caller may not see; null for every other. It tells that the name is taken,
 * and no more. It is for names that callers choose: one that the service makes gets a number instead.
 */
export function heldName(brain: Naming, path: VaultPath): BrainError | null {
  if (!isPlace(path) || brain.limits?.reaches(path) !== true || heldBy(brain, path) === null) return null;
  return new BrainError('taken', `The name ${path} is taken. Choose another one.`, { path });
}

/** @throws BrainError `taken` as `heldName` says */
export function refuseHeld(brain: Naming, path: VaultPath): void {
  const error = heldName(brain, path);
  if (error !== null) throw error;
}

/** The first of the numbers for names in a folder that the caller may not read, and how many there are. */
const HIDDEN_NUMBERS = { from: 100_000, count: 900_000 };

/**
 * Returns the number with which the search for a free name begins. It follows from the wanted name and the caller alone where the
 * name that is found would tell of the names of others: in a folder that the caller may not read, where a note that it may not see
 * has the name, and for an original whose name would tell that the same text is there.
 */
export function firstNumber(brain: Naming, wanted: VaultPath): number {
  const { limits } = brain;
  if (limits === null) return 1;
  // An original without a name of its own is named by the hash of its text.
  const isHashed = !isPlace(wanted) && !isInQueue(wanted) && /-[0-9a-f]{8}\.txt$/.test(wanted);
  const isFree = !isHashed && heldBy(brain, wanted) === null;
  if (limits.reaches(wanted) && (!limits.isBlind || isFree)) return 1;
  const digits = sha256(`${limits.name}\n${wanted}`).slice(0, 12);
  return HIDDEN_NUMBERS.from + (Number.parseInt(digits, 16) % HIDDEN_NUMBERS.count);
}

/**
 * Returns the hash that names a note without a title. The name must not tell a caller who may not read that another note has the
 * same text.
 */
export function hashForName({ limits }: Pick<Brain, 'limits'>, text: string): Sha {
  return sha256(limits?.isBlind === true ? `${limits.name}\n${text}` : text);
}

/** Returns the first of the numbered paths that is free in the whole vault; see `firstNumber`. */
export async function freePath(brain: Viewed, pathOf: (n: number) => VaultPath): Promise<VaultPath> {
  return firstFreePath(brain.whole, pathOf, firstNumber(brain, pathOf(1)));
}
