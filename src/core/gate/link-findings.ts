import { sha256 } from '../base/hash';
import { type Steps, Tally } from '../base/steps';
import { firstPoints } from '../base/text';
import { type Followed, followed, ledTo, type Moves } from '../links/follow';
import { type FileNames, type LinkTargets, opens, type Resolution } from '../links/resolve';
import {
  asCode,
  type Address,
  isRelative,
  type LinkUse,
  pathAddress,
  readAddress,
  schemeOf,
} from '../markdown/address';
import { MIXED } from '../markdown/inline';
import { linkWords, typedWords, UNLINKABLE } from '../markdown/link-words';
import {
  internalLinkSteps,
  isProse,
  isShadow,
  linkAddress,
  type Markdown,
  markdownSteps,
  mergeSteps,
  readLink,
  readWikilink,
  EMBED_SIZE,
  within,
} from '../markdown/parse';
import type { AutoSpan, LinkSpan, Span, WikiSpan } from '../markdown/spans';
import { fileName, isMarkdown, linkPath, stemOf, type VaultPath } from '../vocabulary/paths';
import { dashed } from '../vocabulary/address';
import {
  applySteps,
  compatibleSteps,
  danger,
  type Edit,
  type Finding,
  type FindingList,
  type FoundRef,
  insert,
  type Key,
  remove,
  type Rule,
  sourceKey,
  wholeKey,
} from './finding';

/** The targets for the links of a body; `resolved` caches resolutions within one call of the gate, relative links apart. */
export interface LinkContext {
  /** Returns where a target leads; `relative` is true for Markdown links. */
  readonly resolve: (target: string, relative: boolean) => Resolution;
  readonly targets: Pick<LinkTargets, 'holds' | 'title'>;
  readonly resolved: Readonly<Record<'relative' | 'rooted', Map<string, Resolution>>>;
  /** A person's choices for links that are missing or ambiguous, by target. */
  readonly choices?: ReadonlyMap<string, VaultPath> | undefined;
}

/** Returns the finding of a wikilink or an embed. */
function wikiFinding(body: string, span: WikiSpan, context: LinkContext, quiet: boolean): Finding | null {
  const link = readWikilink(body, span);
  if (link.target === '') return null;
  const key = sourceKey(body, span.from, span.to);
  const scheme = isTitle(link.target) ? null : schemeOf(link.target);
  const resolution = resolve(link, context);
  if (scheme !== null && resolution.status !== 'resolved') {
    const web = scheme === 'http' || scheme === 'https';
    const address = body.slice(span.targetFrom, span.targetTo).trim();
    const ref = { kind: link.kind, target: address, text: link.text ?? address };
    if (span.kind === 'embed' && (web || scheme === '//')) {
      const plain = web && /^[!-~]+$/.test(address) && !/[()<>\\]/.test(address);
      const text = plain ? `[${link.text ?? address}](${address})` : (link.text ?? address);
      return danger('remote_embed', span.from, span.to, key, ref, [{ from: span.from, to: span.to, text }]);
    }
    if (!web) return danger('unsafe_scheme', span.from, span.to, key, ref, unwrapWiki(body, span, link));
  }
  // `[[1, 2], [3, 4]]` is a matrix, and `[[a] b](c) [d[0]]` a link for other readers: they stay.
  if (quiet || (isOpen(resolution) && /[[\]]/.test(link.target))) return null;
  return internalFinding(span, key, link, resolution, () =>
    resolution.status === 'resolved'
      ? canonicalWiki(body, span, link, resolution, context)
      : unwrapWiki(body, span, link),
  );
}

/** Schemes that browsers and Obsidian follow even when a space follows the colon. */
const EAGER = /^(?:javascript|vbscript|data|file|obsidian|https?)$/;

/**
 * Returns true for a target that is a title with a colon, such as "Docker: volumes", and no address. A title has a space before or
 * behind its colon, and no slash right after it. Only plain words may follow a scheme that works in spite of a space, because code
 * and addresses need a mark: a parenthesis, an equals sign, a slash, a dot or an at sign. A title's colon is not escaped.
 */
function isTitle(target: string): boolean {
  const [, before = '', after = ''] = /^([^:]*):(.*)$/s.exec(target) ?? [];
  if (!(before.includes(' ') || after.startsWith(' ')) || /^\s*[\\/]/.test(after)) return false;
  if (schemeOf(before) !== null) return false;
  return !EAGER.test(schemeOf(`${before}:`) ?? '') || /^ [\p{L}\p{M}\p{N} -]+$/u.test(after);
}

const addressKeys = new WeakMap<readonly string[], string>();

/** Returns the digest of a link's addresses; links by one label share it. */
function addressKey({ addresses }: LinkSpan): string {
  const known = addressKeys.get(addresses);
  if (known !== undefined) return known;
  const key = sha256(addresses.join('\n'));
  addressKeys.set(addresses, key);
  return key;
}

/** Returns the finding of a Markdown link or image that leads into the vault; null for any other. */
function innerFinding(body: string, span: LinkSpan, context: LinkContext): Finding | null {
  const link = readLink(body, span);
  if (link === null || link.target === '') return null;
  const key = sourceKey(body, span.from, span.to, span.open === null ? addressKey(span) : '');
  const resolution = resolve(link, context);
  return internalFinding(span, key, link, resolution, () =>
    resolution.status === 'resolved'
      ? canonicalLink(body, span, link, resolution, context)
      : { edits: resolution.status === 'missing' ? withTarget(span, link) : unwrapLink(span, link) },
  );
}

/** A file other than a note, such as `src/invoice.ts`. */
const OTHER_FILE = /^(?!www\.).*\.(?!md$)[a-z0-9]{1,10}$/is;
/** The longest target that stays in the text (UTF-16 units). */
const MAX_KEPT = 500;

/** Returns edits that turn a link to a file that is not in the vault into its words, with the target behind them as code. */
function withTarget(span: LinkSpan, link: LinkUse): Edit[] {
  const [address = ''] = span.addresses;
  const isFile = span.kind === 'link' && span.open !== null && OTHER_FILE.test(link.target);
  if (!isFile || address.length > MAX_KEPT || link.text === null || link.text === address)
    return unwrapLink(span, link);
  return [
    remove(span.from, span.textFrom),
    { from: span.textTo, to: span.to, text: ` (${asCode(address)})` },
  ];
}

interface Change {
  readonly edits: readonly Edit[];
  readonly warning?: string;
}

function internalFinding(
  span: LinkSpan | WikiSpan,
  key: Key | null,
  link: LinkUse,
  resolution: Resolution,
  change: () => Change | readonly Edit[],
): Finding {
  const made = change();
  const { edits, warning } = 'edits' in made ? made : { edits: made };
  const rules = {
    resolved: 'canonical',
    self: 'canonical',
    unreviewed: 'closed',
    protected: 'closed',
  } as const;
  const { status } = resolution;
  const rule: Rule = status === 'missing' || status === 'ambiguous' ? 'missing' : rules[status];
  return {
    rule,
    from: span.from,
    to: span.to,
    key,
    ref: {
      kind: link.kind,
      target: link.target,
      text: link.text ?? link.target,
      ...(status === 'resolved' ? { resolved: resolution.path } : { reason: status }),
      ...(status === 'ambiguous' && { candidates: resolution.candidates }),
    },
    edits,
    ...(warning !== undefined && { warning }),
  };
}

function resolve(link: LinkUse, { resolve: lookUp, resolved, choices }: LinkContext): Resolution {
  const relative = isRelative(link);
  const cache = resolved[relative ? 'relative' : 'rooted'];
  let known = cache.get(link.target);
  if (known === undefined) {
    known = lookUp(link.target, relative);
    const chosen = isOpen(known) ? choices?.get(link.target) : undefined;
    if (chosen !== undefined) known = { status: 'resolved', path: chosen, tier: 'exact' };
    cache.set(link.target, known);
  }
  return known;
}

/** Returns true when a person may choose the link's target. */
export function isOpen({ status }: Resolution): boolean {
  return status === 'missing' || status === 'ambiguous';
}

type Resolved = Extract<Resolution, { status: 'resolved' }>;

function canonicalWiki(
  body: string,
  span: WikiSpan,
  link: LinkUse,
  found: Resolved,
  context: LinkContext,
): Change {
  const path = linkPath(found.path);
  if (UNLINKABLE.test(path)) return { edits: [] };
  const { fragment, warning } = keptFragment(link, found.path, context.targets);
  const bar = span.section.kind === 'row' ? '\\|' : '|';
  const alias = body.slice(span.textFrom, span.textTo);
  if (MIXED.test(body.slice(span.targetFrom, span.textTo))) {
    // Other readers see links in it: one edit for the whole link keeps their edits out.
    const shown = span.kind === 'embed' ? '' : shownText(link, found, context.targets);
    const words = alias.trim() === '' ? shown : withoutBrackets(alias, bar);
    const sign = span.kind === 'embed' ? '!' : '';
    const text = `${sign}[[${path}${fragment}${words === '' ? '' : bar + words}]]`;
    const edit = { from: span.from, to: span.to, text };
    return {
      edits: body.slice(span.from, span.to) === text ? [] : [edit],
      ...(warning !== undefined && { warning }),
    };
  }
  const edits: Edit[] = [];
  const set = (from: number, to: number, text: string) => {
    if (body.slice(from, to) !== text) edits.push({ from, to, text });
  };
  set(span.targetFrom, span.targetTo, path + fragment);
  if (alias.trim() !== '') {
    set(span.targetTo, span.textFrom, bar);
    if (bar === '\\|') set(span.textFrom, span.textTo, alias.replace(/\\?\|/g, '\\|'));
  } else if (span.kind === 'wikilink') {
    set(span.targetTo, span.textTo, bar + shownText(link, found, context.targets));
  } else {
    set(span.targetTo, span.textTo, '');
  }
  return { edits, ...(warning !== undefined && { warning }) };
}

/** Returns true for a picture with a size, and for one inside a link: as an embed it would be shown otherwise. */
function isShownAsWritten(body: string, span: LinkSpan, path: VaultPath): boolean {
  if (span.kind !== 'image' || isMarkdown(path)) return false;
  const isLinked = body[span.from - 1] === '[' && body.startsWith('](', span.to);
  return isLinked || /\|\d+(?:x\d+)?$/.test(body.slice(span.textFrom, span.textTo));
}

function canonicalLink(
  body: string,
  span: LinkSpan,
  link: LinkUse,
  found: Resolved,
  context: LinkContext,
): Change {
  const path = linkPath(found.path);
  const { fragment, warning } = keptFragment(link, found.path, context.targets);
  const extra = warning === undefined ? {} : { warning };
  if (span.nested || isShownAsWritten(body, span, found.path) || UNLINKABLE.test(path)) {
    // A wikilink cannot hold a link or an image: only the address becomes canonical.
    // A path from the root is also one from the folder of the note, unless it begins with a slash.
    const direct = resolve({ ...link, target: found.path }, context);
    const start = direct.status === 'resolved' && direct.path !== found.path ? '/' : '';
    if (span.open === null || linkPath(link.target) === start + path) return { edits: [] };
    const to = span.addressFrom + (span.addresses[0]?.length ?? 0);
    const hash = fragment === '' ? '' : `#${pathAddress(fragment.slice(1))}`;
    const address = start + pathAddress(found.path) + hash;
    return { edits: [{ from: span.addressFrom, to, text: address }], ...extra };
  }
  const bar = span.section.kind === 'row' ? '\\|' : '|';
  const open = `${span.kind === 'image' ? '!' : ''}[[${path}${fragment}`;
  const text = body.slice(span.textFrom, span.textTo);
  if (link.text === null) {
    const shown = span.kind === 'image' ? '' : bar + shownText(link, found, context.targets);
    return { edits: [{ from: span.from, to: span.to, text: `${open}${shown}]]` }], ...extra };
  }
  if (/[[\]\\|\n]/.test(text)) {
    return {
      edits: [{ from: span.from, to: span.to, text: `${open}${bar}${typedWords(unescaped(text))}]]` }],
      ...extra,
    };
  }
  const edits = [
    { from: span.from, to: span.textFrom, text: open + bar },
    { from: span.textTo, to: span.to, text: ']]' },
  ];
  return { edits, ...extra };
}

/** Returns the fragment with its `#`. One that the target does not have is dropped with a warning. */
function keptFragment(
  { fragment: written, target }: LinkUse,
  path: VaultPath,
  targets: LinkContext['targets'],
): { fragment: string; warning?: string } {
  // Characters that no link can hold are dropped; the heading is found without them.
  const fragment =
    written !== null && /[[\]|\n]|\\$/.test(written) ? written.replace(/[[\]|\\\s]+/g, ' ').trim() : written;
  if (fragment === null || fragment === '') return { fragment: '' };
  // Fragments of attachments (pages, times) cannot be checked.
  if (!path.endsWith('.md')) return { fragment: `#${fragment}` };
  if (targets.holds(path, fragment)) return { fragment: `#${fragment}` };
  return {
    fragment: '',
    warning: `"${target}#${written}": ${path} has no such ${fragment.startsWith('^') ? 'block' : 'heading'}; the link now leads to the whole note.`,
  };
}

/** Returns the text of a link without words: the typed target, or the note's title when that is a path or a slug. */
function shownText({ target, kind }: LinkUse, found: Resolved, targets: LinkContext['targets']): string {
  const typedName = target.includes('/') || /\.md$/i.test(target) || dashed(target) === target;
  const name = found.path.endsWith('.md') ? targets.title(found.path) : fileName(found.path);
  // The target of a Markdown link is decoded, so it may have any character.
  const typed = kind === 'wikilink' ? typedWords(unescaped(target)) : linkWords(target);
  return (typedName ? linkWords(name) : typed) || linkWords(stemOf(found.path));
}

/** Replaces the brackets of the shown words. */
function withoutBrackets(alias: string, bar: string): string {
  const words = alias.replace(/\\?\[/g, '(').replace(/\\?\]/g, ')').replace(/\\$/, '/');
  return bar === '\\|' ? words.replace(/\\?\|/g, '\\|') : words;
}

function unescaped(words: string): string {
  return words.replace(/\\([!-/:-@[-`{-~])/g, '$1');
}

/** Returns edits that remove a wikilink's brackets and keep its words. */
function unwrapWiki(body: string, span: WikiSpan, link: LinkUse): Edit[] {
  if (link.text !== null) return [remove(span.from, span.textFrom), remove(span.textTo, span.to)];
  const target = body.slice(span.targetFrom, span.targetTo);
  const start = span.targetFrom + target.indexOf(link.target);
  return [remove(span.from, start), remove(start + link.target.length, span.to)];
}

/** The longest words that a reference without words gets (code points). */
const MAX_WORDS = 200;

function unwrapLink(span: LinkSpan, link: LinkUse): Edit[] {
  if (link.text === null || (span.kind === 'image' && EMBED_SIZE.test(link.text))) {
    // The target of a reference stays in its definition: many uses would each repeat a long one.
    const words = span.open === null ? firstPoints(link.target, MAX_WORDS) : link.target;
    return [{ from: span.from, to: span.to, text: words }];
  }
  return [remove(span.from, span.textFrom), remove(span.textTo, span.to)];
}

/** The links that one step checks; a very long one counts as many. */
const LINKS_PER_STEP = 256;

/** Adds findings for links of all kinds and for link definitions, in steps. */
export function* linkFindingSteps(
  markdown: Markdown,
  context: LinkContext,
  findings: FindingList,
): Steps<void> {
  const { body, spans } = markdown;
  const isQuiet = within(markdown.quiet);
  const add = (finding: Finding | null): void => findings.add(finding);
  const tally = new Tally(LINKS_PER_STEP);
  for (const span of spans) {
    if (tally.isFull(1 + ((span.to - span.from) >> 9))) yield;
    // A quiet link is none, but may be one for a reader who sees no comment: its dangers count.
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
    const key = wholeKey(body, from, to);
    add(
      danger('unsafe_scheme', from, to, key, { kind: 'mdlink', target: address, text: key.source }, [
        insert(from, '\\'),
      ]),
    );
  }
  yield* bareFindings(markdown, findings);
}

const LOOSE_ADDRESS = /:[\\/]{2}|^<?(?:javascript|vbscript|data|file|obsidian):|[&%]/i;

/** Returns the finding of a link or image that leads out of the vault; null for one that may stay or is internal. */
function outerFinding(body: string, span: LinkSpan): Finding | null {
  const { kind } = linkAddress(span);
  const isImage = span.kind === 'image';
  if (kind === 'internal' || (kind === 'web' && !isImage)) return null;
  const [target = ''] = span.addresses;
  // Without a closing parenthesis "(see: this)" is prose; only text that looks like an address counts.
  if (!span.closed && kind === 'unsafe' && !LOOSE_ADDRESS.test(target)) return null;
  const ref = {
    kind: isImage ? 'image' : 'mdlink',
    target,
    text: body.slice(span.textFrom, span.textTo),
  } as const;
  const reason = isImage && kind !== 'unsafe' ? 'remote_embed' : 'unsafe_scheme';
  const { from, open, loose } = span;
  const to = loose && open !== null ? open : span.to;
  const key = sourceKey(body, from, to, loose || open === null ? addressKey(span) : '');
  return danger(reason, from, to, key, ref, outerEdits(body, span, kind));
}

/** Returns the edits that make a link or image harmless that leads out: its text stays, of an image with a link to the web. */
function outerEdits(body: string, span: LinkSpan, kind: Address['kind']): Edit[] {
  const { from, textFrom, textTo, open } = span;
  const isImage = span.kind === 'image';
  if (span.loose && open !== null)
    return [...(isImage ? [noImage(body, span)] : []), ...(kind === 'web' ? [] : [insert(open, '\\')])];
  const isMute = isImage && kind !== 'unsafe' && body.slice(textFrom, textTo).trim() === '';
  if (isImage && kind === 'web' && !span.inLink)
    return [noImage(body, span), ...(isMute && open !== null ? [insert(textFrom, 'image')] : [])];
  return [{ from, to: textFrom, text: isMute ? 'image' : '' }, remove(textTo, span.to)];
}

/**
 * Returns the edit that makes an image a link. Behind a bracket a space replaces the `!`: without it `![b]![r]` would become
 * `![b][r]`, an image with the address of `r`.
 */
function noImage(body: string, { from }: LinkSpan): Edit {
  return { from, to: from + 1, text: body[from - 1] === ']' ? ' ' : '' };
}

function autoFinding(body: string, { from, to }: AutoSpan): Finding | null {
  const address = body.slice(from + 1, to - 1);
  if (readAddress(address).kind === 'web') return null;
  const ref: FoundRef = { kind: 'mdlink', target: address, text: address };
  return danger('unsafe_scheme', from, to, wholeKey(body, from, to), ref, [
    { from, to: from + 1, text: '&lt;' },
  ]);
}

const BARE = /(^|[^\p{L}\p{N}_])(obsidian):\/\/[^\s<>"')\]]*/giu;

/** Returns true for a span whose inside is an address or an attribute for every reader. */
function isCertain(span: Span): boolean {
  if (span.kind === 'tag') return span.tag?.wellFormed === true;
  return !('loose' in span && span.loose);
}

/** Adds findings for bare `obsidian://` addresses: they run a command, and the editor makes them clickable. */
function* bareFindings({ body, sections, spans }: Markdown, findings: FindingList): Steps<void> {
  if (!/obsidian:\/\//i.test(body)) return;
  const tally = new Tally(LINKS_PER_STEP);
  // An address inside a link or a tag is checked with that.
  const covered: Span[] = [];
  for (const span of spans) {
    if (tally.isFull()) yield;
    if (span.kind !== 'math' && span.kind !== 'comment' && isCertain(span)) covered.push(span);
  }
  const isCovered = within(yield* mergeSteps(covered));
  for (const section of sections) {
    if (tally.isFull()) yield;
    if (!isProse(section) || section.kind === 'overlay') continue;
    for (const { 0: all, 1: before = '', 2: scheme = '', index } of section.text.matchAll(BARE)) {
      if (tally.isFull()) yield;
      const from = section.from + index + before.length;
      if (isCovered(from)) continue;
      const address = all.slice(before.length);
      const ref: FoundRef = { kind: 'mdlink', target: address, text: address };
      findings.add(
        danger('unsafe_scheme', from, from + address.length, wholeKey(address, 0, address.length), ref, [
          insert(from + scheme.length, '\\'),
        ]),
      );
    }
  }
}

/**
 * Changes the links of the body of the note at `at` so that they open after moves what they opened before (`followed`), in steps: wikilinks, embeds and Markdown
 * links. Every other byte stays, shown words and fragments included. Links to a note that is gone become their words.
 */
export function retargetSteps(body: string, at: VaultPath, moves: Moves): Steps<string> {
  return changeLinkSteps(body, (link) => followed(link, at, moves));
}

/** Changes the links of a body as `change` says, which returns null for one that stays; see `retargetSteps`. */
export function* changeLinkSteps(body: string, change: (link: LinkUse) => Followed | null): Steps<string> {
  const found: { readonly edits: readonly Edit[] }[] = [];
  const markdown = yield* markdownSteps(body);
  yield* internalLinkSteps(markdown, within(markdown.quiet), (link, span) => {
    const made = change(link);
    if (made === null) return;
    found.push({ edits: editsOf(body, link, span, made) });
  });
  return yield* applySteps(body, yield* compatibleSteps(found));
}

/** Returns the edits of what becomes of a link; none for one by a definition, which has no address of its own. */
function editsOf(body: string, link: LinkUse, span: LinkSpan | WikiSpan, made: Followed): Edit[] {
  if (made === 'text') return 'targetFrom' in span ? unwrapWiki(body, span, link) : unwrapLink(span, link);
  const { target, words } = made;
  if ('targetFrom' in span) {
    const from = span.targetFrom + body.slice(span.targetFrom, span.targetTo).indexOf(link.target);
    const edit = { from, to: from + link.target.length, text: target };
    if (words === undefined) return [edit];
    const bar = span.section.kind === 'row' ? '\\|' : '|';
    const text = words === null ? '' : bar + typedWords(words);
    return [edit, { from: span.targetTo, to: span.textTo, text }];
  }
  if (span.open === null) return [];
  const address = span.addresses[0] ?? '';
  const hash = address.indexOf('#');
  const pointed = address.startsWith('<') ? 1 : 0;
  const to = span.addressFrom + (hash >= 0 ? hash : address.length - pointed);
  return [{ from: span.addressFrom + pointed, to, text: target }];
}

/**
 * Returns a former body of the note at `at` in which each link opens what its counterpart in the present body opens, in steps: as it was
 * written where it still does, else led there in its own form. Null when the two have not as many links.
 */
export function* formerLinkSteps(
  former: string,
  now: string,
  at: VaultPath,
  files: FileNames,
): Steps<string | null> {
  const [links, others] = [yield* linksOf(former), yield* linksOf(now)];
  if (links.length !== others.length) return null;
  const found: { readonly edits: readonly Edit[] }[] = [];
  const tally = new Tally(LINKS_PER_STEP);
  for (const [index, { link, span }] of links.entries()) {
    if (tally.isFull()) yield;
    const other = others[index]?.link ?? link;
    const goal = opens(other.target, at, files, isRelative(other));
    const made = goal === null ? null : ledTo(link, goal, at, files);
    if (made !== null) found.push({ edits: editsOf(former, link, span, made) });
  }
  return yield* applySteps(former, yield* compatibleSteps(found));
}

/** Returns the internal links of a body. */
function* linksOf(body: string): Steps<{ readonly link: LinkUse; readonly span: LinkSpan | WikiSpan }[]> {
  const links: { readonly link: LinkUse; readonly span: LinkSpan | WikiSpan }[] = [];
  const markdown = yield* markdownSteps(body);
  yield* internalLinkSteps(markdown, within(markdown.quiet), (link, span) => links.push({ link, span }));
  return links;
}
