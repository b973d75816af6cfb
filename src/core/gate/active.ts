import { ITEMS_PER_STEP, sortSteps, type Steps, Tally } from '../base/steps';
import { belongs, INVISIBLE, pointAt, pointBefore } from '../base/text';
import { readAddress } from '../markdown/address';
import { decodeEntities, type Tag } from '../markdown/html';
import { firstFrom } from '../markdown/inline';
import { isProse, type Markdown, mergeSteps, within } from '../markdown/parse';
import type { Range, Section, Span, TagSpan } from '../markdown/spans';
import { type Edit, type Finding, type RefReason, sourceKey } from './finding';

/** Languages whose blocks a plugin runs when the note is shown or a button is pressed. */
const ACTIVE_LANGUAGE = /^(?:dataviewjs|js-engine|meta-bind-js-view|templater|button|run-.*)$/;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/** True for the language of a block that a plugin would run. */
function isActiveLanguage(language: string): boolean {
  return ACTIVE_LANGUAGE.test(language.replace(IGNORABLE, '').toLowerCase());
}

/** So much of a text is looked through for code in one step, in UTF-16 units; every part costs some beside its length. */
const CODE_UNITS_PER_STEP = 1 << 14;
const PART_COST = 32;

/** Findings for code that would run, some sections a step: fences, inline scripts, and template commands. */
export function* codeFindingSteps(markdown: Markdown): Steps<Finding[]> {
  const findings: Finding[] = [];
  const tally = new Tally(CODE_UNITS_PER_STEP);
  for (const section of markdown.sections) {
    for (const finding of fenceFindings(markdown.body, section)) {
      if (finding !== null) findings.push(finding);
      if (tally.isFull(PART_COST)) yield;
    }
    if (tally.isFull(section.to - section.from + PART_COST)) yield;
  }
  return findings.concat(yield* inlineFindings(markdown), yield* templateFindings(markdown));
}

/**
 * A fence that this parser sees, and one that only another would: behind text, in raw HTML, too deep, indented. Null for each
 * that is harmless.
 */
function* fenceFindings(body: string, section: Section): Iterable<Finding | null> {
  if (section.kind === 'overlay') return;
  if (section.kind === 'fence' && section.info !== null) {
    const { from, to } = section.info;
    yield fenceFinding(body, section.from, section.to, from, body.slice(from, to));
  }
  if (section.kind === 'fence' || section.kind === 'indented') yield* blockScript(body, section);
  if (section.kind === 'fence') return;
  for (const fence of hiddenFences(section.text)) {
    if (fence === null) {
      yield null;
      continue;
    }
    const { at: begins, infoFrom, info } = fence;
    const from = section.from + begins;
    yield fenceFinding(body, from, section.to, section.from + infoFrom, info);
    const at = scriptStart(section.text, infoFrom + info.length);
    if (at !== null) yield scriptFinding(body, from, section.to, section.from + at);
  }
}

const FENCE_RUN = /(?:`{3,}|~{3,})[ \t]*([^\n`]*)/g;
const FENCE_PREFIX = /[\s>*+\d.)-]/;

/**
 * The fences in a text that stand at the beginning of a line, behind anything that quotes and lists put there. Each begins where
 * the first of the lines does that hold nothing else. What stands before a fence is read backwards from it, so that no part is
 * read twice. Null for each run of marks that stands elsewhere.
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

/** A whole block of code that begins like an inline script runs like one, with the plugin's settings as they come. */
function blockScript(body: string, { text, from, to, code }: Section): Finding[] {
  const at = scriptStart(text.slice(0, code.to - from), code.from - from);
  return at === null ? [] : [scriptFinding(body, from, to, from + at)];
}

const SCRIPT_START = /[\s\uFEFF>]*\$=/y;

/** Where `$=` stands when nothing but white space and quote marks comes before it; null when something else does. */
function scriptStart(text: string, from: number): number | null {
  SCRIPT_START.lastIndex = from;
  const found = SCRIPT_START.exec(text)?.[0];
  return found === undefined ? null : from + found.length - '$='.length;
}

/** The finding of an inline script: `$=` stands `at`, and a backslash before it makes it plain code. */
function scriptFinding(body: string, from: number, to: number, at: number): Finding {
  return {
    rule: 'danger',
    from,
    to,
    key: body.slice(from, to),
    ref: { kind: 'code', target: '$=', text: body.slice(from, to), reason: 'active_content' },
    edits: [{ from: at, to: at, text: '\\' }],
  };
}

function fenceFinding(
  body: string,
  from: number,
  to: number,
  infoFrom: number,
  info: string,
): Finding | null {
  const words = decodeEntities(info.replace(IGNORABLE, ''))
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '')
    .trim();
  const language = words.startsWith('{')
    ? words.split(/[^\p{L}\p{N}_-]+/u).find(isActiveLanguage)
    : /^[^\p{L}\p{N}]*([\p{L}\p{N}_-]+)/u.exec(words)?.[1];
  if (language === undefined || !isActiveLanguage(language)) return null;
  const end = words.startsWith('{') ? info.length : (/^\s*\S+/.exec(info)?.[0].length ?? info.length);
  return {
    rule: 'danger',
    from,
    to,
    key: body.slice(from, to),
    ref: { kind: 'code', target: language, text: body.slice(from, to), reason: 'active_content' },
    edits: [{ from: infoFrom, to: infoFrom + end, text: 'text' }],
  };
}

/** `$=` at the beginning of inline code, also where it depends on the reader whether it is code. */
const INLINE_SCRIPT = /`([\s\uFEFF]*)\$=/g;

function* inlineFindings({ body, sections }: Markdown): Steps<Finding[]> {
  const findings: Finding[] = [];
  const tally = new Tally(ITEMS_PER_STEP);
  for (const section of sections) {
    if (tally.isFull()) yield;
    if (!isProse(section) || section.kind === 'overlay' || !section.text.includes('$=')) continue;
    for (const { 0: all, index } of section.text.matchAll(INLINE_SCRIPT)) {
      if (tally.isFull()) yield;
      const from = section.from + index;
      const at = from + all.length - 2;
      const close = section.text.indexOf('`', index + all.length);
      const to = close < 0 ? section.to : section.from + close + 1;
      findings.push(scriptFinding(body, from, to, at));
    }
  }
  return findings;
}

/** `<%` anywhere: template commands are read from the file's text, whatever Markdown makes of it. */
function* templateFindings({ body, sections, spans, quiet }: Markdown): Steps<Finding[]> {
  if (!body.includes('<%')) return [];
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
  const findings: Finding[] = [];
  let close = -1;
  for (let at = body.indexOf('<%'); at >= 0; at = body.indexOf('<%', at + 2)) {
    if (tally.isFull()) yield;
    if (close >= 0 && close < at) close = -1;
    if (close < 0) close = body.indexOf('%>', at + 2);
    if (close < 0) close = body.length;
    const next = body.indexOf('<%', at + 2);
    // A command that holds another is told by its beginning up to there, so that no text is compared twice.
    const to = next >= 0 && next < close ? next : Math.min(close + 2, body.length);
    // In math an entity would be shown as written.
    const edit: Edit =
      inCode(at) || inQuiet(at)
        ? { from: at + 1, to: at + 1, text: '\\' }
        : { from: at, to: at + 1, text: '&lt;' };
    findings.push({
      rule: 'danger',
      from: at,
      to,
      key: body.slice(at, to),
      ref: { kind: 'template', target: '<%', text: body.slice(at, to), reason: 'active_content' },
      edits: [edit],
    });
  }
  return findings;
}

/** Tags that run, fetch, submit or restyle by being there, with those that browsers treat like them. */
const ACTIVE_TAGS: ReadonlySet<string> = new Set([
  ...['script', 'iframe', 'object', 'embed', 'form', 'base', 'link', 'meta', 'style'],
  ...['applet', 'frame', 'frameset', 'portal', 'webview', 'fencedframe'],
]);
/** SVG elements that can set an address or a handler on another element after it was checked. */
const ANIMATIONS: ReadonlySet<string> = new Set(['animate', 'animatetransform', 'animatemotion', 'set']);
/** Attributes that lead somewhere only when a reader follows them. */
const FOLLOWED: ReadonlySet<string> = new Set(['cite', 'longdesc']);
/** Attributes whose value is fetched, sent to or opened without being read. */
const FETCHED =
  /src|^(?:href|xlink:href|poster|background|data|ping|action|formaction|icon|manifest|profile|codebase|classid|archive|usemap)$/;
/** Ways to fetch from CSS; a backslash can spell any of them. */
const CSS_FETCH = /url\s*\(|@import|image-set|image\s*\(|src\s*\(|expression\s*\(|binding|behavior|\\/i;

interface Problem {
  readonly reason: RefReason;
  readonly target: string;
}

/** What is read of tags in one step, in UTF-16 units. */
const TAG_UNITS_PER_STEP = 1 << 14;
/** What a tag costs beside its length, in the same units. */
const TAG_COST = 16;

/** Findings for raw HTML, some tags a step: what is active in it is escaped, so that it shows as text. */
export function* htmlFindingSteps(
  body: string,
  spans: readonly Span[],
  activeContent: boolean,
): Steps<Finding[]> {
  const findings: Finding[] = [];
  const elementEnd = elementEnds();
  const isScripted = perSection(holdsInlineScript);
  const lastClose = perSection(({ text, from }) => from + text.lastIndexOf('>'));
  const tally = new Tally(TAG_UNITS_PER_STEP);
  let inElement = 0;
  for (const span of spans) {
    if (tally.isFull(span.kind === 'tag' ? span.to - span.from + TAG_COST : TAG_COST >> 1)) yield;
    if (span.kind !== 'tag') continue;
    const problem = spanProblem(span, isScripted, lastClose);
    if (problem === null || (!activeContent && problem.reason === 'active_content')) continue;
    const end = elementEnd(span);
    const to = end ?? span.to;
    const source = body.slice(span.from, to);
    // Tags that never close and elements within elements overlap: of those only short ones are compared.
    const disjoint =
      span.tag?.complete === true && body[to - 1] === '>' && (end === null || span.from >= inElement);
    if (end !== null) inElement = Math.max(inElement, end);
    findings.push({
      rule: 'danger',
      from: span.from,
      to,
      key: disjoint && span.tag?.name !== 'code' ? source : tagKey(body, span, to),
      ref: { kind: 'html', text: source, ...problem },
      edits: [{ from: span.from, to: span.from + 1, text: '&lt;' }],
    });
  }
  return findings;
}

/** Answers where a script or a style sheet ends, after its closing tag or with the section; null for any other tag. */
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

/** Remembers the answer for the section asked about last; tags come section by section. */
function perSection<T>(answer: (section: Section) => T): (section: Section) => T {
  let last: { section: Section; answer: T } | null = null;
  return (section) => {
    if (last?.section !== section) last = { section, answer: answer(section) };
    return last.answer;
  };
}

/** What was not read to its end is never left alone. What a `<code>` does is decided by what follows, so all of it counts. */
function tagKey(body: string, { tag, section, from }: TagSpan, to: number): string | null {
  if (tag?.complete !== true) return null;
  if (tag.name !== 'code') return sourceKey(body, from, to);
  return sourceKey(section.text, 0, section.text.length, [String(from - section.from)]);
}

function spanProblem(
  { tag, section, to }: TagSpan,
  isScripted: (section: Section) => boolean,
  lastClose: (section: Section) => number,
): Problem | null {
  if (tag === null) return active('<');
  // What was not read to its end is text only where nothing can end it.
  if (!tag.complete && (section.kind === 'html' || tag.wellFormed || lastClose(section) >= to))
    return active(tag.name);
  const problem = tagProblem(tag);
  // A raw `<code>` is read by inline-script plugins as well as a code span is.
  if (problem === null && tag.name === 'code' && !tag.closing && isScripted(section)) return active('$=');
  return problem;
}

/** Why a tag may not be rendered, or null. */
function tagProblem(tag: Tag): Problem | null {
  if (ACTIVE_TAGS.has(tag.name) || ANIMATIONS.has(tag.name)) return active(tag.name);
  if (tag.closing) return null;
  for (const [name, value] of tag.attributes) {
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
  // SVG takes `url(…)` in presentation attributes such as fill, filter and mask.
  if (/url\s*\(\s*(?:["']\s*)?[^#\s"']/i.test(value) && name !== 'alt' && name !== 'title')
    return active(name);
  if (name === 'class') {
    const language = value
      .split(/\s+/)
      .find((word) => /^language-/i.test(word) && isActiveLanguage(word.slice(9)));
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
  return /[$&]/.test(text) && decodeEntities(text).includes('$=');
}

/** Findings for invisible characters outside code, one for each run, some of them a step. */
export function* invisibleFindingSteps({ body, sections, spans }: Markdown): Steps<Finding[]> {
  if (body.search(INVISIBLE) < 0) return [];
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
  const findings: Finding[] = [];
  for (const { 0: run, index } of body.matchAll(INVISIBLE)) {
    if (tally.isFull()) yield;
    const end = index + run.length;
    if (inCode(index) || belongs(run, pointBefore(body, index), pointAt(body, end))) continue;
    findings.push({
      rule: 'danger',
      from: index,
      to: end,
      key: wordAround(body, index, end),
      ref: null,
      edits: [{ from: index, to: end, text: '' }],
    });
  }
  return findings;
}

/** The run with what stands directly around it: enough to tell it from another one, little enough to stay linear. */
function wordAround(text: string, from: number, to: number): string {
  const before = /\S{0,16}$/.exec(text.slice(Math.max(0, from - 16), from))?.[0] ?? '';
  const after = /^\S{0,16}/.exec(text.slice(to, to + 16))?.[0] ?? '';
  return before + text.slice(from, to) + after;
}
