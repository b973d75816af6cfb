import { type Steps, Tally } from '../steps';
import { isActiveLanguage } from './gate-code';
import { type Finding, sourceKey } from './gate-finding';
import { readAddress } from './links-address';
import { decodeEntities, type Tag } from './markdown-html';
import type { Section } from './markdown-section';
import { firstFrom } from './markdown-pairs';
import type { Span, TagSpan } from './markdown-spans';
import type { RefReason } from './ref';

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
