import type { Edit, Finding } from './gate-finding';
import { decodeEntities } from './markdown-html';
import type { Section } from './markdown-section';
import { type Markdown, isProse, within } from './markdown-parse';

/** Languages whose blocks a plugin runs when the note is shown or a button is pressed. */
const ACTIVE_LANGUAGE = /^(?:dataviewjs|js-engine|meta-bind-js-view|templater|button|run-.*)$/;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** True for the language of a block that a plugin would run. */
export function isActiveLanguage(language: string): boolean {
  return ACTIVE_LANGUAGE.test(language.replace(INVISIBLE, '').toLowerCase());
}

/** Findings for code that would run: fences, inline scripts, and template commands. */
export function codeFindings(markdown: Markdown): Finding[] {
  return [
    ...markdown.sections.flatMap((section) => fenceFindings(markdown.body, section)),
    ...inlineFindings(markdown),
    ...templateFindings(markdown),
  ];
}

/** A fence that this parser sees, and one that only another would: behind text, in raw HTML, too deep, indented. */
function fenceFindings(body: string, section: Section): Finding[] {
  if (section.kind === 'fence') {
    const script = blockScript(body, section);
    if (section.info === null) return script;
    const { from, to } = section.info;
    const finding = fenceFinding(body, section.from, section.to, from, body.slice(from, to));
    return finding === null ? script : [finding, ...script];
  }
  if (section.kind === 'overlay') return [];
  const findings = section.kind === 'indented' ? blockScript(body, section) : [];
  if (!/```|~~~/.test(section.text)) return findings;
  for (const { 0: all, 1: info = '', index } of section.text.matchAll(HIDDEN_FENCE)) {
    const from = section.from + index;
    const finding = fenceFinding(body, from, section.to, from + all.length - info.length, info);
    if (finding !== null) findings.push(finding);
    const at = scriptStart(section.text, index + all.length);
    if (at !== null) findings.push(scriptFinding(body, from, section.to, section.from + at));
  }
  return findings;
}

const HIDDEN_FENCE = /(?:^|\n)[\s>*+\d.)-]*(?:`{3,}|~{3,})[ \t]*([^\n`]*)/g;

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

function inlineFindings({ body, sections }: Markdown): Finding[] {
  const findings: Finding[] = [];
  for (const section of sections) {
    if (!isProse(section) || section.kind === 'overlay' || !section.text.includes('$=')) continue;
    for (const { 0: all, index } of section.text.matchAll(INLINE_SCRIPT)) {
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
function templateFindings({ body, sections, spans, quiet }: Markdown): Finding[] {
  if (!body.includes('<%')) return [];
  const code = [
    ...sections.filter((section) => section.kind === 'fence' || section.kind === 'indented'),
    ...spans.filter(({ kind }) => kind === 'code'),
  ].sort((a, b) => a.from - b.from);
  const inCode = within(code);
  const inQuiet = within(quiet);
  const findings: Finding[] = [];
  let close = -1;
  for (let at = body.indexOf('<%'); at >= 0; at = body.indexOf('<%', at + 2)) {
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
