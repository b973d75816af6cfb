import { inSlices, type Steps } from '../base/steps';
import { firstPoints } from '../base/text';
import { type Block, fencesOf, readBlock, valueOf, withEntries } from '../frontmatter/block';
import { isEqual, type OpenedContent } from '../frontmatter/compose';
import { splitNote } from '../frontmatter/split';
import type { Flat, Scalar, Values } from '../frontmatter/yaml';
import type { GateChange } from '../gate/changes';
import type { Ref } from '../gate/finding';
import type { Gated } from '../gate/gate';
import { type PropertyFinding, propertySteps } from '../gate/properties';
import type { Brain } from '../operation/context';
import { PROTECTED_KEYS } from '../vocabulary/envelope';

type Ports = Pick<Brain, 'config' | 'pace'>;
type Entry = Block['entries'][number];
/** Fields of a call that become properties, by key; those that are not given are undefined. */
type FieldValues = Readonly<Record<string, Scalar | readonly Scalar[] | undefined>>;

/** The longest text of a property in a report (code points). */
const MAX_SHOWN = 200;
/** The properties that a warning names. */
const MAX_NAMED = 8;

const isProtected: ReadonlySet<string> = new Set(PROTECTED_KEYS);

/** Properties of which what would act is text, and what was found. */
export interface SafeProperties<F> {
  readonly opened: OpenedContent;
  readonly frontmatter: Flat | undefined;
  /** The fields of the call that become properties; those that are not given are left out. */
  readonly fields: F;
  readonly refs: Ref[];
  readonly warnings: string[];
}

/**
 * Makes the properties of a call harmless: those of its content, those of its field `frontmatter`, and its other fields that
 * become properties. A property that stands in the current note with an equal value is left alone.
 * @param current the values of the current note
 */
export function* safePropertiesSteps<F extends FieldValues>(
  { config }: Pick<Brain, 'config'>,
  opened: OpenedContent,
  frontmatter: Flat | undefined,
  current: Values,
  fields: F,
): Steps<SafeProperties<F>> {
  const { gateActiveContent } = config;
  const found = yield* entrySteps(opened.block, current, gateActiveContent);
  const findings = [...found.values()];
  const flat = yield* flatSteps(frontmatter ?? {}, current, gateActiveContent, findings);
  const safeFields = yield* flatSteps(fields, current, gateActiveContent, findings);
  const refs = findings.map((finding) => refOf(finding, true));
  return {
    opened: withFindings(opened, found),
    frontmatter: frontmatter && flat,
    // No field is called like a key that acts.
    fields: safeFields as F,
    refs,
    warnings: warningsOf(refs),
  };
}

/** Does the same as `safePropertiesSteps`, in slices. */
export function safeProperties<F extends FieldValues>(
  brain: Ports,
  opened: OpenedContent,
  frontmatter: Flat | undefined,
  current: Values,
  fields: F,
): Promise<SafeProperties<F>> {
  return inSlices(safePropertiesSteps(brain, opened, frontmatter, current, fields), brain.pace);
}

/** Makes flat values harmless, and adds what is found to `findings`. A list of texts stays one, and a text a text. */
function* flatSteps(
  values: FieldValues,
  current: Values,
  activeContent: boolean,
  findings: PropertyFinding[],
): Steps<Flat> {
  const flat: Flat = {};
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const read = typeof value === 'object' ? value.map(String) : String(value);
    const finding = isKnown(current, key, read) ? null : yield* propertySteps(key, read, activeContent);
    const { becomes = { key, value } } = finding ?? {};
    flat[becomes.key] = becomes.value as Flat[string];
    if (finding !== null) findings.push(finding);
    yield;
  }
  return flat;
}

/** Adds what was found in the properties of a note to what was found in its body. */
export function withFound(
  gated: Gated,
  { refs, warnings }: Pick<SafeProperties<unknown>, 'refs' | 'warnings'>,
): Gated {
  if (refs.length === 0) return gated;
  return { ...gated, refs: [...refs, ...gated.refs], warnings: [...warnings, ...gated.warnings] };
}

/** What would act in the front matter of a note. */
interface ActingProperties {
  readonly changes: GateChange[];
  readonly refs: Ref[];
  /** Returns the numbers of those that stand in another note with an equal value. */
  standingIn(values: Values): number[];
  /** Returns the note with these properties as text, but for those that a person keeps, by their number in `changes`. */
  text(kept: ReadonlySet<number>): string;
}

/** Finds what would act in the front matter of a note; nothing in a block that cannot be read. */
export async function actingProperties({ config, pace }: Ports, text: string): Promise<ActingProperties> {
  const split = splitNote(text);
  const block = split === null ? null : await pace.run(() => readBlock(split.block));
  if (split === null || block === null || 'reason' in block)
    return { changes: [], refs: [], standingIn: () => [], text: () => text };
  const found = [...(await inSlices(entrySteps(block, {}, config.gateActiveContent), pace))];
  const before = text.length - split.block.length - split.close.length - split.body.length;
  return {
    changes: found.map(([, finding]) => changeOf(finding)),
    refs: found.map(([, finding]) => refOf(finding, false)),
    standingIn: (values) =>
      found.flatMap(([entry], index) => (isKnown(values, entry.key, valueOf(block, entry)) ? [index] : [])),
    text(kept) {
      const others = found.filter((_, index) => !kept.has(index));
      if (others.length === 0) return text;
      const changed = new Map(others.map(([entry, { becomes }]) => [entry, becomes]));
      const { head, entries, tail } = withEntries(block, changed, fencesOf(text, split).eol);
      const lines = entries.map((each) => each.before + each.text + each.after).join('');
      return text.slice(0, before) + head + lines + tail + split.close + split.body;
    },
  };
}

/**
 * Makes the front matter of a text harmless, but for properties that stand in the current note with an equal value.
 * @param current the values of the current note
 */
export async function safeText(
  brain: Ports,
  text: string,
  current: Values,
): Promise<Pick<SafeProperties<unknown>, 'refs' | 'warnings'> & { readonly text: string }> {
  const acting = await actingProperties(brain, text);
  const left = new Set(acting.standingIn(current));
  const refs = acting.refs.flatMap((ref, index) => (left.has(index) ? [] : { ...ref, unlinked: true }));
  return { text: acting.text(left), refs, warnings: warningsOf(refs) };
}

function* entrySteps(
  block: Block,
  current: Values,
  activeContent: boolean,
): Steps<Map<Entry, PropertyFinding>> {
  const found = new Map<Entry, PropertyFinding>();
  for (const entry of block.entries) {
    const value = valueOf(block, entry);
    if (isProtected.has(entry.key) || isKnown(current, entry.key, value)) continue;
    const finding = yield* propertySteps(entry.key, value, activeContent);
    if (finding !== null) found.set(entry, finding);
    yield;
  }
  return found;
}

function isKnown(current: Values, key: string, value: unknown): boolean {
  return Object.hasOwn(current, key) && isEqual(current[key], value);
}

function withFindings(opened: OpenedContent, found: ReadonlyMap<Entry, PropertyFinding>): OpenedContent {
  if (found.size === 0) return opened;
  const changed = new Map([...found].map(([entry, { becomes }]) => [entry, becomes]));
  const block = withEntries(opened.block, changed, opened.fences.eol);
  return { ...opened, block, frontmatter: block.values };
}

function refOf({ ref }: PropertyFinding, unlinked: boolean): Ref {
  const { text, target, candidates, ...rest } = ref;
  const shown = (each: string): string => firstPoints(each, MAX_SHOWN);
  return {
    ...rest,
    ...(candidates && { candidates: [...candidates] }),
    kind: 'property',
    target: shown(target),
    text: shown(text),
    line: 1,
    unlinked,
  };
}

function changeOf({ ref, becomes }: PropertyFinding): GateChange {
  const value = typeof becomes.value === 'string' ? becomes.value : JSON.stringify(becomes.value ?? '');
  return {
    from: 0,
    to: 0,
    line: 1,
    kind: 'property',
    reason: ref.reason ?? 'active_content',
    text: firstPoints(`${ref.target}: ${ref.text}`, MAX_SHOWN),
    becomes: firstPoints(`${becomes.key}: ${value}`, MAX_SHOWN),
  };
}

function warningsOf(refs: readonly Ref[]): string[] {
  if (refs.length === 0) return [];
  const names = refs.slice(0, MAX_NAMED).map(({ target }) => `"${target}"`);
  const more = refs.length > MAX_NAMED ? ', …' : '';
  return [`What would act in the front matter was made text: ${names.join(', ')}${more}.`];
}
