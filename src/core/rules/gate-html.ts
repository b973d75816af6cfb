import { isActiveLanguage } from './gate-code';
import type { Finding } from './gate-finding';
import { readAddress } from './links-address';
import { decodeEntities, type Tag } from './markdown-html';
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

/** Findings for raw HTML: what is active in it is escaped, so that it shows as text. */
export function htmlFindings(body: string, spans: readonly Span[], activeContent: boolean): Finding[] {
  const findings: Finding[] = [];
  for (const span of spans) {
    if (span.kind !== 'tag') continue;
    const problem = tagProblem(span.tag) ?? inlineScript(span);
    if (problem === null || (!activeContent && problem.reason === 'active_content')) continue;
    const end = constructEnd(span);
    const source = body.slice(span.from, end);
    findings.push({
      rule: 'danger',
      from: span.from,
      to: end,
      key: span.tag.name === 'code' ? `${source}\n${span.section.text}` : source,
      ref: { kind: 'html', text: source, ...problem },
      edits: [{ from: span.from, to: span.from + 1, text: '&lt;' }],
    });
  }
  return findings;
}

/** A script or a style sheet reaches to its closing tag, any other construct is the tag alone. */
function constructEnd({ tag, section, from, to }: TagSpan): number {
  if (tag.closing || (tag.name !== 'script' && tag.name !== 'style')) return to;
  const close = new RegExp(`</${tag.name}[^>]*>`, 'ig');
  close.lastIndex = from - section.from;
  return close.test(section.text) ? section.from + close.lastIndex : section.to;
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
  if (/url\s*\(\s*["']?\s*[^#\s"']/i.test(value) && name !== 'alt' && name !== 'title') return active(name);
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

/** A raw `<code>` is read by inline-script plugins as well as a code span is. */
function inlineScript({ tag, section }: TagSpan): Problem | null {
  if (tag.name !== 'code' || tag.closing || !/\$|&/.test(section.text)) return null;
  return decodeEntities(section.text).includes('$=') ? { reason: 'active_content', target: '$=' } : null;
}
