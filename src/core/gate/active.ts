import { ITEMS_PER_STEP, sortSteps, type Steps, Tally } from '../base/steps';
import { belongsToSpelling, INVISIBLE, codePointAt, codePointBefore } from '../base/text';
import { readAddress } from '../markdown/address';
import { type Attribute, decodeEntities, readTag, type Tag } from '../markdown/html';
import { firstFrom } from '../markdown/inline';
import { isProse, type Markdown, mergeSteps, within } from '../markdown/parse';
import type { LinkSpan, Range, Section, Span, TagSpan } from '../markdown/spans';
import {
  type Edit,
  type Finding,
  type FindingList,
  type Key,
  type RefReason,
  sourceKey,
  wholeKey,
} from './finding';
import { activeLanguage, isHarmlessLanguage } from './languages';

/** The text in which one step finds code (UTF-16 units), and the cost of each part in addition to its length. */
const CODE_UNITS_PER_STEP = 1 << 14;
const PART_COST = 32;

/** Adds findings for code that would run, in steps: fences, inline scripts, and template commands. */
export function* codeFindingSteps(markdown: Markdown, findings: FindingList): Steps<void> {
  const tally = new Tally(CODE_UNITS_PER_STEP);
  for (const section of markdown.sections) {
    for (const finding of fenceFindings(markdown.body, section)) {
      findings.add(finding);
      if (tally.isFull(PART_COST)) yield;
    }
    if (tally.isFull(section.to - section.from + PART_COST)) yield;
  }
  yield* inlineFindings(markdown, findings);
  yield* templateFindings(markdown, findings);
}

/**
 * Yields findings for the fences of a section, also for those that only other parsers see: behind text, in raw HTML, too deep,
 * indented. It yields null for each harmless one.
 */
function* fenceFindings(body: string, section: Section): Iterable<Finding | null> {
  if (section.kind === 'overlay') return;
  if (section.kind === 'fence' && section.info !== null) {
    const code = section.text.slice(section.code.from - section.from, section.code.to - section.from);
    yield fenceFinding(body, section, section.info, code);
  }
  if (section.kind === 'fence' || section.kind === 'indented') yield* blockScript(body, section);
  if (section.kind === 'fence') return;
  for (const fence of hiddenFences(section.text)) {
    if (fence === null) {
      yield null;
      continue;
    }
    const from = section.from + fence.at;
    const infoFrom = section.from + fence.infoFrom;
    const infoTo = infoFrom + fence.info.length;
    // Behind a backtick it is inline code for every reader.
    if (body[infoTo] !== '`')
      yield fenceFinding(body, { from, to: section.to }, { from: infoFrom, to: infoTo }, null);
    const at = scriptStart(section.text, infoTo - section.from);
    if (at !== null) yield scriptFinding(body, from, section.to, section.from + at);
  }
}

const FENCE_RUN = /(?:`{3,}|~{3,})[ \t]*([^\n`]*)/g;
const FENCE_PREFIX = /[\s>*+\d.)-]/;

/**
 * Yields the fences in a text at the beginning of a line, behind marks of quotes and lists. `at` is the start of the first line in
 * a row that has nothing else. The text before a fence is read backwards, so that no part is read twice. It yields null for each
 * run of fence characters elsewhere.
 */
function* hiddenFences(
  text: string,
): Iterable<{ readonly at: number; readonly infoFrom: number; readonly info: string } | null> {
  let end = 0;
  for (const { 0: all, 1: info = '', index } of text.matchAll(FENCE_RUN)) {
    let first = index;
    let at = index === 0 ? 0 : -1;
    while (first > end && FENCE_PREFIX.test(text.charAt(first - 1))) {
      first -= 1;
      if (text[first] === '\n' || first === 0) at = first;
    }
    if (at < 0) {
      yield null;
      continue;
    }
    end = index + all.length;
    yield { at, infoFrom: end - info.length, info };
  }
}

/** Returns the finding of a code block that begins like an inline script: with the plugin's default settings it runs too. */
function blockScript(body: string, { text, from, to, code }: Section): Finding[] {
  const at = scriptStart(text.slice(0, code.to - from), code.from - from);
  return at === null ? [] : [scriptFinding(body, from, to, from + at)];
}

const SCRIPT_START = /[\s\uFEFF>]*\$=/y;

/** Returns the offset of `$=` when only white space and quote marks precede it; null otherwise. */
function scriptStart(text: string, from: number): number | null {
  SCRIPT_START.lastIndex = from;
  const found = SCRIPT_START.exec(text)?.[0];
  return found === undefined ? null : from + found.length - '$='.length;
}

/** Makes the finding of an inline script. A backslash before its mark at `at` makes it plain code. */
function scriptFinding(body: string, from: number, to: number, at: number, mark = '$='): Finding {
  return {
    rule: 'danger',
    from,
    to,
    key: wholeKey(body, from, to),
    ref: { kind: 'code', target: mark, text: body.slice(from, to), reason: 'active_content' },
    edits: [{ from: at, to: at, text: '\\' }],
  };
}

/**
 * Makes the finding of a code block that a plugin may run. The block becomes plain text, and its language stands in a line of
 * its own before it.
 * @param code the text of the block; null when its end is not known
 */
function fenceFinding(body: string, { from, to }: Range, info: Range, code: string | null): Finding | null {
  const words = body.slice(info.from, info.to);
  const language = activeLanguage(words, code);
  if (language === null) return null;
  const isBraced = words.trimStart().startsWith('{');
  const word = isBraced ? words.trimEnd() : (/^\s*\S+/.exec(words)?.[0] ?? words);
  return {
    rule: 'danger',
    from,
    to,
    key: wholeKey(body, from, to),
    ref: { kind: 'code', target: language, text: body.slice(from, to), reason: 'active_content' },
    edits: [wordBefore(body, info, word), { from: info.from, to: info.from + word.length, text: 'text' }],
  };
}

/** Returns the insertion of a word as plain text in a line before a fence, inside the same lists and quotes. */
function wordBefore(body: string, info: Range, word: string): Edit {
  let at = info.from;
  while (/[ \t]/.test(body.charAt(at - 1))) at -= 1;
  while (/[`~]/.test(body.charAt(at - 1))) at -= 1;
  let line = at;
  while (line > 0 && !/[\n\r]/.test(body.charAt(line - 1))) line -= 1;
  const end = /\r?\n|\r/.exec(body.slice(info.to, info.to + MAX_BLANKS))?.[0] ?? '\n';
  // The next line is a line of the same list item, and a mark would begin another one.
  const margin = body.slice(line, at).replace(/[^>\s]/g, ' ');
  const shown = word.trim().replace(/^-|[!-,./:-@[-`{-~]/g, '\\$&');
  return { from: at, to: at, text: shown + end + margin };
}

/** The blanks between an info string and the end of its line that are read (UTF-16 units). */
const MAX_BLANKS = 100;

/**
 * The marks of inline code that a plugin runs: a script of Dataview, and a button of Meta Bind, which runs commands. They stand
 * at the beginning of inline code, also of text that is code for some readers only.
 */
const INLINE_SCRIPT = /`[\s\uFEFF]*(\$=|BUTTON\[)/g;
const MAY_BE_INLINE_SCRIPT = /\$=|BUTTON\[/;

function* inlineFindings({ body, sections }: Markdown, findings: FindingList): Steps<void> {
  const tally = new Tally(ITEMS_PER_STEP);
  for (const section of sections) {
    if (tally.isFull()) yield;
    if (!isProse(section) || section.kind === 'overlay' || !MAY_BE_INLINE_SCRIPT.test(section.text)) continue;
    for (const { 0: all, 1: mark = '', index } of section.text.matchAll(INLINE_SCRIPT)) {
      if (tally.isFull()) yield;
      const from = section.from + index;
      const at = from + all.length - mark.length;
      const close = section.text.indexOf('`', index + all.length);
      const to = close < 0 ? section.to : section.from + close + 1;
      findings.add(scriptFinding(body, from, to, at, mark));
    }
  }
}

/** Adds findings for every `<%`: template plugins read the file's text and ignore Markdown. */
function* templateFindings({ body, sections, spans, quiet }: Markdown, findings: FindingList): Steps<void> {
  if (!body.includes('<%')) return;
  const tally = new Tally(ITEMS_PER_STEP);
  const code: Range[] = [];
  for (const section of sections) {
    if (tally.isFull()) yield;
    if (section.kind === 'fence' || section.kind === 'indented') code.push(section);
  }
  for (const span of spans) {
    if (tally.isFull()) yield;
    if (span.kind === 'code') code.push(span);
  }
  const inCode = within(yield* sortSteps(code, (a, b) => a.from - b.from));
  const inQuiet = within(quiet);
  let close = -1;
  for (let at = body.indexOf('<%'); at >= 0; at = body.indexOf('<%', at + 2)) {
    if (tally.isFull()) yield;
    if (close >= 0 && close < at) close = -1;
    if (close < 0) close = body.indexOf('%>', at + 2);
    if (close < 0) close = body.length;
    const next = body.indexOf('<%', at + 2);
    // The key of a command with another one inside ends at the inner one, so that no text is compared twice.
    const to = next >= 0 && next < close ? next : Math.min(close + 2, body.length);
    // Code and math would show an entity as written.
    const edit: Edit =
      inCode(at) || inQuiet(at)
        ? { from: at + 1, to: at + 1, text: '\\' }
        : { from: isEscaped(body, at) ? at - 1 : at, to: at + 1, text: '&lt;' };
    findings.add({
      rule: 'danger',
      from: at,
      to,
      key: wholeKey(body, at, to),
      ref: { kind: 'template', target: '<%', text: body.slice(at, to), reason: 'active_content' },
      edits: [edit],
    });
  }
}

/** Tags that run, fetch, submit or restyle without a click, and those that browsers treat like them. */
const ACTIVE_TAGS: ReadonlySet<string> = new Set([
  ...['script', 'iframe', 'object', 'embed', 'form', 'base', 'link', 'meta', 'style'],
  ...['applet', 'frame', 'frameset', 'portal', 'webview', 'fencedframe'],
]);
/** SVG elements that can set an address or a handler of another, already checked element. */
const ANIMATIONS: ReadonlySet<string> = new Set(['animate', 'animatetransform', 'animatemotion', 'set']);
/** Attributes with an address that is opened only by a click. */
const FOLLOWED: ReadonlySet<string> = new Set(['cite', 'longdesc']);
/** Attributes with an address that a browser fetches, sends to or opens by itself. */
const FETCHED =
  /src|^(?:href|xlink:href|poster|background|data|ping|action|formaction|icon|manifest|profile|codebase|classid|archive|usemap)$/;
/** The ways of CSS to fetch; a backslash can spell each of them. */
const CSS_FETCH = /url\s*\(|@import|image-set|image\s*\(|src\s*\(|expression\s*\(|binding|behavior|\\/i;

interface Problem {
  readonly reason: RefReason;
  readonly target: string;
}

/** The text of tags that one step reads (UTF-16 units). */
const TAG_UNITS_PER_STEP = 1 << 14;
/** The cost of a tag in addition to its length (UTF-16 units). */
const TAG_COST = 16;

/** Adds findings for active raw HTML, in steps: it is escaped, so that it shows as text. */
export function* htmlFindingSteps(
  body: string,
  spans: readonly Span[],
  activeContent: boolean,
  findings: FindingList,
): Steps<void> {
  const elementEnd = elementEnds();
  const isScripted = perSection(holdsInlineScript);
  const lastClose = perSection(({ text, from }) => from + text.lastIndexOf('>'));
  const tally = new Tally(TAG_UNITS_PER_STEP);
  const isFileName = fileNames(body);
  let inElement = 0;
  for (const span of spans) {
    if (tally.isFull(span.kind === 'tag' ? span.to - span.from + TAG_COST : TAG_COST >> 1)) yield;
    if (isFileName(span) || span.kind !== 'tag') continue;
    const problem = spanProblem(span, isScripted, lastClose);
    if (problem === null || (!activeContent && problem.reason === 'active_content')) continue;
    const end = elementEnd(span);
    const to = end ?? span.to;
    const source = body.slice(span.from, to);
    // Tags that never close and nested elements overlap: `tagKey` limits the length of their keys.
    const disjoint =
      span.tag?.complete === true && body[to - 1] === '>' && (end === null || span.from >= inElement);
    if (end !== null) inElement = Math.max(inElement, end);
    findings.add({
      rule: 'danger',
      from: span.from,
      to,
      key: disjoint && span.tag?.name !== 'code' ? wholeKey(body, span.from, to) : tagKey(body, span, to),
      ref: { kind: 'html', text: source, ...problem },
      edits: [{ from: span.from, to: span.from + 1, text: '&lt;' }],
    });
  }
}

/** Returns true for a link or picture with its address in pointed brackets, as all readers of Markdown see it. */
function isNamed(span: Span): span is LinkSpan {
  if (span.kind !== 'link' && span.kind !== 'image') return false;
  return span.open !== null && span.closed && !span.loose && span.addresses[0]?.startsWith('<') === true;
}

/**
 * Returns a function that gets the spans in order and tells the tags that are file names in pointed brackets: the address of a link.
 * One with a value, and one that begins a script, is none.
 */
function fileNames(body: string): (span: Span) => boolean {
  const names = new Set<string>();
  return (span) => {
    if (isNamed(span)) names.add(`${span.addressFrom}${span.addresses[0] ?? ''}`);
    if (span.kind !== 'tag' || names.size === 0) return false;
    const source = body.slice(span.from, span.to);
    return !/[="'`]|^<\/?script(?![-\w])/i.test(source) && names.has(`${span.from}${source}`);
  };
}

/** Returns true when a backslash escapes the character at an offset. It would escape the ampersand of an entity as well. */
function isEscaped(body: string, at: number): boolean {
  let start = at;
  while (body[start - 1] === '\\') start -= 1;
  return (at - start) % 2 === 1;
}

/** Returns a function that gives the end of a script or style element: after its closing tag, or the section's end. */
function elementEnds(): (span: TagSpan) => number | null {
  const closings = {
    script: perSection(({ text }) => Array.from(text.matchAll(/<\/script[^<>]*>/gi), endOfMatch)),
    style: perSection(({ text }) => Array.from(text.matchAll(/<\/style[^<>]*>/gi), endOfMatch)),
  };
  return ({ tag, section, to }) => {
    if (tag === null || tag.closing || (tag.name !== 'script' && tag.name !== 'style')) return null;
    const end = firstFrom(closings[tag.name](section), to - section.from);
    return end < 0 ? section.to : section.from + end;
  };
}

function endOfMatch({ 0: found, index }: RegExpExecArray): number {
  return index + found.length;
}

/** Caches a function's result for the last section; tags come section by section. */
function perSection<T>(answer: (section: Section) => T): (section: Section) => T {
  let last: { section: Section; answer: T } | null = null;
  return (section) => {
    if (last?.section !== section) last = { section, answer: answer(section) };
    return last.answer;
  };
}

/** Returns the key of a tag; null for an incomplete one. The text behind a `<code>` decides, so its whole section counts. */
function tagKey(body: string, { tag, section, from }: TagSpan, to: number): Key | null {
  if (tag?.complete !== true) return null;
  if (tag.name !== 'code') return sourceKey(body, from, to);
  return sourceKey(section.text, 0, section.text.length, String(from - section.from));
}

function spanProblem(
  span: TagSpan,
  isScripted: (section: Section) => boolean,
  lastClose: (section: Section) => number,
): Problem | null {
  const { tag, section, to } = span;
  if (tag === null) return active('<');
  // An incomplete tag is text only when no `>` follows that could end it.
  if (!tag.complete && (section.kind === 'html' || tag.wellFormed || lastClose(section) >= to))
    return active(tag.name);
  const problem = tagProblem(tag, span);
  // Inline-script plugins read a raw `<code>` like a code span.
  if (problem === null && tag.name === 'code' && !tag.closing && isScripted(section)) return active('$=');
  return problem;
}

/** Returns the reason why a tag may not be rendered, or null. */
function tagProblem(tag: Tag, { section, from, to }: TagSpan): Problem | null {
  if (ACTIVE_TAGS.has(tag.name) || ANIMATIONS.has(tag.name)) return active(tag.name);
  // An attribute takes two characters more than `<b>` at least.
  if (tag.closing || to - from < tag.name.length + 4) return null;
  const attributes: Attribute[] = [];
  readTag(section.text, from - section.from, attributes);
  for (const [name, value] of attributes) {
    const problem = attributeProblem(tag.name, name, value);
    if (problem !== null) return problem;
  }
  return null;
}

function active(target: string): Problem {
  return { reason: 'active_content', target };
}

function attributeProblem(tag: string, name: string, raw: string): Problem | null {
  if (/^on./.test(name)) return active(name);
  const value = decodeEntities(raw);
  if (name === 'style' && CSS_FETCH.test(value)) return active('style');
  // SVG fetches `url(…)` in presentation attributes such as fill, filter and mask.
  if (/url\s*\(\s*(?:["']\s*)?[^#\s"']/i.test(value) && name !== 'alt' && name !== 'title')
    return active(name);
  if (name === 'class') {
    const language = value
      .split(/\s+/)
      .find((word) => /^language-/i.test(word) && !isHarmlessLanguage(word.slice(9)));
    return language === undefined ? null : active(language);
  }
  const followed = FOLLOWED.has(name) || (name === 'href' && (tag === 'a' || tag === 'area'));
  if (!followed && !FETCHED.test(name)) return null;
  for (const part of name.endsWith('srcset') ? value.split(/[\s,]+/) : [value]) {
    const address = readAddress(part);
    if (address.kind === 'unsafe') return { reason: 'unsafe_scheme', target: part };
    if (address.kind !== 'internal' && !followed) return active(part);
    if (address.kind === 'host') return { reason: 'unsafe_scheme', target: part };
  }
  return null;
}

function holdsInlineScript({ text }: Section): boolean {
  return /[$&[]/.test(text) && MAY_BE_INLINE_SCRIPT.test(decodeEntities(text));
}

/** Adds findings for invisible characters outside code, one for each run, in steps. */
export function* invisibleFindingSteps(
  { body, sections, spans }: Markdown,
  findings: FindingList,
): Steps<boolean> {
  if (body.search(INVISIBLE) < 0) return true;
  const tally = new Tally(ITEMS_PER_STEP);
  const code: Range[] = [];
  for (const section of sections) {
    if (tally.isFull()) yield;
    if (!isProse(section)) code.push(section.code);
  }
  for (const span of spans) {
    if (tally.isFull()) yield;
    if (span.kind === 'code') code.push({ from: span.textFrom, to: span.textTo });
  }
  const inCode = within(yield* mergeSteps(yield* sortSteps(code, (a, b) => a.from - b.from)));
  for (const { 0: run, index } of body.matchAll(INVISIBLE)) {
    if (tally.isFull()) yield;
    const end = index + run.length;
    if (inCode(index) || belongsToSpelling(run, codePointBefore(body, index), codePointAt(body, end)))
      continue;
    if (findings.isFull) return false;
    findings.add({
      rule: 'danger',
      from: index,
      to: end,
      key: { source: wordAround(body, index, end), meaning: '' },
      ref: null,
      edits: [{ from: index, to: end, text: '' }],
    });
  }
  return true;
}

/** Returns a run with at most 16 characters around it, as a key: distinct enough, and short enough for linear time. */
function wordAround(text: string, from: number, to: number): string {
  const before = /\S{0,16}$/.exec(text.slice(Math.max(0, from - 16), from))?.[0] ?? '';
  const after = /^\S{0,16}/.exec(text.slice(to, to + 16))?.[0] ?? '';
  return before + text.slice(from, to) + after;
}
