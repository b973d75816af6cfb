import { type Steps, Tally } from '../steps';
import {
  applySteps,
  compatibleSteps,
  danger,
  type Edit,
  type Finding,
  type FoundRef,
  insert,
  sourceKey,
  remove,
} from './gate-finding';
import { innerFinding, type LinkContext, wikiFinding } from './gate-internal';
import { pathsMeant } from './links';
import { type LinkUse, pathAddress, readAddress } from './links-address';
import type { AutoSpan, LinkSpan, Span } from './markdown-spans';
import { internalLinkSteps, isShadow, linkAddress } from './markdown-links';
import { isProse, type Markdown, markdownSteps, mergeSteps, within } from './markdown-parse';
import { linkPath, type VaultPath } from './paths';

/** So many links are looked at in one step; what the longest say takes the time of many. */
const LINKS_PER_STEP = 256;

/** Findings for links of all kinds, and for the definitions that references lead to, some of them a step. */
export function* linkFindingSteps(markdown: Markdown, context: LinkContext): Steps<Finding[]> {
  const { body, spans } = markdown;
  const isQuiet = within(markdown.quiet);
  const findings: Finding[] = [];
  const add = (finding: Finding | null) => {
    if (finding !== null) findings.push(finding);
  };
  const tally = new Tally(LINKS_PER_STEP);
  for (const span of spans) {
    if (tally.isFull(1 + ((span.to - span.from) >> 9))) yield;
    // What is quiet is no link, but it may become one where another reader sees no comment: dangers count there too.
    const quiet = isShadow(span.section) || isQuiet(span.from);
    if (span.kind === 'wikilink' || span.kind === 'embed') add(wikiFinding(body, span, context, quiet));
    else if (span.kind === 'link' || span.kind === 'image') {
      add(outerFinding(body, span) ?? (quiet ? null : innerFinding(body, span, context)));
    } else if (span.kind === 'autolink') add(autoFinding(body, span));
  }
  for (const definition of markdown.definitions) {
    if (tally.isFull()) yield;
    const { from, to, address } = definition;
    const { kind } = readAddress(address);
    if (kind !== 'unsafe' && kind !== 'host') continue;
    const source = body.slice(from, to);
    add(
      danger('unsafe_scheme', from, to, source, { kind: 'mdlink', target: address, text: source }, [
        insert(from, '\\'),
      ]),
    );
  }
  return findings.concat(yield* bareFindings(markdown));
}

const LOOSE_ADDRESS = /:[\\/]{2}|^<?(?:javascript|vbscript|data|file|obsidian):|[&%]/i;

/** A link or image that leads out of the vault; null when it may stay or leads to a note. */
function outerFinding(body: string, span: LinkSpan): Finding | null {
  const address = linkAddress(span);
  if (address.kind === 'internal' || (address.kind === 'web' && span.kind === 'link')) return null;
  const text = body.slice(span.textFrom, span.textTo);
  const embed = span.kind === 'image' && address.kind !== 'unsafe';
  // Without a closing parenthesis "(see: this)" is prose; only what could be meant as an address counts.
  if (!span.closed && address.kind === 'unsafe' && !LOOSE_ADDRESS.test(span.addresses[0] ?? '')) return null;
  const reason = embed ? 'remote_embed' : 'unsafe_scheme';
  const target = span.addresses[0] ?? '';
  const ref = { kind: span.kind === 'image' ? ('image' as const) : ('mdlink' as const), target, text };
  const key = sourceKey(body, span.from, span.to, span.open === null ? span.addresses : []);
  const edits: Edit[] = [];
  if (span.loose && span.open !== null) {
    if (span.kind === 'image') edits.push(noImage(body, span));
    if (address.kind !== 'web') edits.push(insert(span.open, '\\'));
    return danger(
      reason,
      span.from,
      span.open,
      sourceKey(body, span.from, span.open, span.addresses),
      ref,
      edits,
    );
  }
  if (embed && address.kind === 'web' && !span.inLink) {
    edits.push(noImage(body, span));
    if (text.trim() === '' && span.open !== null) edits.push(insert(span.textFrom, 'image'));
  } else {
    edits.push({ from: span.from, to: span.textFrom, text: embed && text.trim() === '' ? 'image' : '' });
    edits.push(remove(span.textTo, span.to));
  }
  return danger(reason, span.from, span.to, key, ref, edits);
}

/**
 * Makes an image a link. Behind a bracket its sign gives way to a space: `![b]![r]` would else become `![b][r]`, which is
 * an image with the address of `r`.
 */
function noImage(body: string, { from }: LinkSpan): Edit {
  return { from, to: from + 1, text: body[from - 1] === ']' ? ' ' : '' };
}

function autoFinding(body: string, { from, to }: AutoSpan): Finding | null {
  const address = body.slice(from + 1, to - 1);
  if (readAddress(address).kind === 'web') return null;
  const ref: FoundRef = { kind: 'mdlink', target: address, text: address };
  return danger('unsafe_scheme', from, to, body.slice(from, to), ref, [{ from, to: from + 1, text: '&lt;' }]);
}

const BARE = /(^|[^\p{L}\p{N}_])(obsidian):\/\/[^\s<>"')\]]*/giu;

/** True for a span whose inside is an address or an attribute under every reading. */
function isCertain(span: Span): boolean {
  if (span.kind === 'tag') return span.tag?.wellFormed === true;
  return !('loose' in span && span.loose);
}

/** Addresses that run a command and that an editor makes clickable without any brackets. */
function* bareFindings({ body, sections, spans }: Markdown): Steps<Finding[]> {
  if (!/obsidian:\/\//i.test(body)) return [];
  const tally = new Tally(LINKS_PER_STEP);
  // In a link or a tag it is that link's or tag's address, and judged with it.
  const covered: Span[] = [];
  for (const span of spans) {
    if (tally.isFull()) yield;
    if (span.kind !== 'math' && span.kind !== 'comment' && isCertain(span)) covered.push(span);
  }
  const isCovered = within(yield* mergeSteps(covered));
  const findings: Finding[] = [];
  for (const section of sections) {
    if (tally.isFull()) yield;
    if (!isProse(section) || section.kind === 'overlay') continue;
    for (const { 0: all, 1: before = '', 2: scheme = '', index } of section.text.matchAll(BARE)) {
      if (tally.isFull()) yield;
      const from = section.from + index + before.length;
      if (isCovered(from)) continue;
      const address = all.slice(before.length);
      const ref: FoundRef = { kind: 'mdlink', target: address, text: address };
      findings.push(
        danger('unsafe_scheme', from, from + address.length, address, ref, [
          insert(from + scheme.length, '\\'),
        ]),
      );
    }
  }
  return findings;
}

/** A note that gets another path, as the note at `at` sees it. */
export interface Move {
  readonly from: VaultPath;
  readonly to: VaultPath;
  readonly at: VaultPath;
  /** Of a link that can be read as several paths, the first of them that stands is meant. */
  readonly stands: (path: string) => boolean;
  /** Whether a link that is no path to anything means the note by its name. */
  readonly named: (link: { readonly target: string; readonly relative: boolean }) => boolean;
}

/** True when a link leads to the note that is moved. */
export function isMoved(
  { target, kind }: Pick<LinkUse, 'target' | 'kind'>,
  { from, at, stands, named }: Move,
): boolean {
  const relative = kind === 'mdlink' || kind === 'image';
  const { near, rooted } = pathsMeant(target, at, relative);
  const isFrom = (path: string): boolean => linkPath(path) === linkPath(from);
  const meant = [near ?? [], rooted].flat().find((path) => isFrom(path) || stands(path));
  return meant === undefined ? named({ target, relative }) : isFrom(meant);
}

/**
 * The body with its links to `from` leading to `to` instead: wikilinks, embeds and Markdown links that spell out its path, from
 * the root or, as far as they count from there, from the folder of the note at `at`. Every other byte stays, the words shown and the fragments too. Some links a step.
 */
export function* retargetSteps(body: string, move: Move): Steps<string> {
  const { to } = move;
  const found: { readonly edits: readonly Edit[] }[] = [];
  const lead = (start: number, end: number, text: string): unknown =>
    found.push({ edits: [{ from: start, to: end, text }] });
  const markdown = yield* markdownSteps(body);
  yield* internalLinkSteps(markdown, within(markdown.quiet), ({ target, kind }, span) => {
    if (!isMoved({ target, kind }, move)) return;
    if ('targetFrom' in span) {
      const written = body.slice(span.targetFrom, span.targetTo);
      const start = span.targetFrom + written.indexOf(target);
      lead(start, start + target.length, linkPath(to));
    } else if (span.open !== null) {
      const address = span.addresses[0] ?? '';
      const hash = address.indexOf('#');
      const start = span.addressFrom + (address.startsWith('<') ? 1 : 0);
      const end = span.addressFrom + (hash >= 0 ? hash : address.length - (address.startsWith('<') ? 1 : 0));
      lead(start, end, pathAddress(to));
    }
  });
  return yield* applySteps(body, yield* compatibleSteps(found));
}
