import { type Steps, Tally } from '../steps';
import type { Edit, Finding } from './gate-finding';
import { decodeEntities } from './markdown-html';
import type { Range, Section } from './markdown-section';
import { ITEMS_PER_STEP, sortSteps } from './markdown-order';
import { type Markdown, isProse, within } from './markdown-parse';

/** Languages whose blocks a plugin runs when the note is shown or a button is pressed. */
const ACTIVE_LANGUAGE = /^(?:dataviewjs|js-engine|meta-bind-js-view|templater|button|run-.*)$/;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** True for the language of a block that a plugin would run. */
export function isActiveLanguage(language: string): boolean {
  return ACTIVE_LANGUAGE.test(language.replace(INVISIBLE, '').toLowerCase());
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
  const words = decodeEntities(info.replace(INVISIBLE, ''))
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
