import { linesToMarkdown, MAX_TEXT, within } from './markup';

/** A line of a mail. */
interface Line {
  /** The number of quotations around it. */
  readonly depth: number;
  readonly text: string;
}

/** Quotations that are nested deeper are text of the deepest one. */
const MAX_QUOTES = 8;

/** The way in which a text is wrapped (RFC 3676). */
export interface Wrapping {
  /** True when a space at the end of a line means that its paragraph goes on. */
  readonly flowed: boolean;
  /** True when that space is no part of the text. */
  readonly delSp: boolean;
}

/**
 * Converts the text of a mail to Markdown that shows its letters. Paragraphs that were wrapped become whole, and what it quotes
 * becomes a folded callout, with the levels of quotations in it. Text over the limit is cut.
 */
export function mailTextToMarkdown(text: string, { flowed, delSp }: Wrapping): string {
  const written = within(text, MAX_TEXT).replace(/\r\n?/g, '\n').split('\n');
  const lines = flowed ? unwrapped(written, delSp) : written.map(quotedLine);
  return [...quotesToMarkdown(withReply(withGaps(lines)), 0)].join('');
}

/** Reads the quotation marks of a line. `>From` is a line of text that a mailbox escaped. */
function quotedLine(line: string): Line {
  let [at, depth] = [0, 0];
  while (line[at] === '>' && depth < MAX_QUOTES && (depth > 0 || !line.startsWith('>From '))) {
    depth += 1;
    at += 1;
    if (line[at] === ' ') at += 1;
  }
  return { depth, text: line.slice(at).trimEnd() };
}

/** Joins the lines of each paragraph, and removes the space before lines that a mail program stuffed. */
function unwrapped(written: readonly string[], delSp: boolean): Line[] {
  const paragraphs: { depth: number; texts: string[] }[] = [];
  let isOpen = false;
  for (const line of written) {
    let depth = 0;
    while (line[depth] === '>' && depth < MAX_QUOTES) depth += 1;
    const text = line[depth] === ' ' ? line.slice(depth + 1) : line.slice(depth);
    const isSignature = text === '-- ';
    const last = paragraphs.at(-1);
    const isSoft = text.endsWith(' ') && !isSignature;
    const piece = isSoft && delSp ? text.slice(0, -1) : text;
    if (isOpen && text !== '' && !isSignature && last?.depth === depth) last.texts.push(piece);
    else paragraphs.push({ depth, texts: [piece] });
    isOpen = isSoft;
  }
  return paragraphs.map(({ depth, texts }) => ({ depth, text: texts.join('').trimEnd() }));
}

/** Takes empty lines between two quoted ones into the quotation. */
function withGaps(lines: readonly Line[]): Line[] {
  const all = [...lines];
  let last = -1;
  for (const [at, { depth, text }] of lines.entries()) {
    if (text === '') continue;
    const around = Math.min(depth, lines[last]?.depth ?? 0);
    for (let gap = last + 1; gap < at; gap += 1) all[gap] = { depth: around, text: '' };
    last = at;
  }
  return all;
}

/** Lines by which mail programs without quotation marks begin the mail that is answered. */
const REPLIED = new RegExp(
  `^\\s*-{3,} ?(?:${[
    'Original Message',
    'Original Appointment',
    'Ursprüngliche Nachricht',
    'Original-Nachricht',
    "Message d['’]origine",
    'Message original',
    'Messaggio originale',
    'Mensaje original',
    'Mensagem original',
    'Oorspronkelijk bericht',
    'Исходное сообщение',
  ].join('|')}) ?-{3,}\\s*$`,
  'i',
);
const RULE = /^_{10,}$/;
const SENDER = /^(?:From|Von|De|Da|Van|От)\s?:/;
const SENT = /^(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Data|Inviato|Verzonden|Отправлено)\s?:/;
const SUBJECT = /^(?:Subject|Betreff|Objet|Asunto|Oggetto|Onderwerp|Assunto|Тема)\s?:/;

/**
 * Returns the number of lines before the mail that is answered, which a mail program appended without quotation marks; null when
 * there is none, or no text before it.
 */
function replyStart(lines: readonly string[]): number | null {
  let hasText = false;
  for (const [at, line] of lines.entries()) {
    const next = (count: number, pattern: RegExp) =>
      lines.slice(at + 1, at + 1 + count).some((one) => pattern.test(one));
    if (hasText && (REPLIED.test(line) || (RULE.test(line) && SENDER.test(lines[at + 1] ?? ''))))
      return at + 1;
    if (hasText && SENDER.test(line) && next(4, SENT) && next(8, SUBJECT)) return at;
    if (line !== '' && !RULE.test(line)) hasText = true;
  }
  return null;
}

/** Quotes the mail that is answered. */
function withReply(lines: readonly Line[]): Line[] {
  // Quoted lines are neither the beginning of that mail nor text before it.
  const from = replyStart(lines.map(({ depth, text }) => (depth === 0 ? text : '')));
  if (from === null) return [...lines];
  return lines.map((line, at) =>
    at < from ? line : { ...line, depth: Math.min(MAX_QUOTES, line.depth + 1) },
  );
}

function* quotesToMarkdown(lines: readonly Line[], level: number): Generator<string> {
  let isFirst = true;
  for (let at = 0; at < lines.length;) {
    const isDeeper = (line: Line | undefined) => line !== undefined && line.depth > level;
    const isQuote = isDeeper(lines[at]);
    let end = at;
    while (end < lines.length && isDeeper(lines[end]) === isQuote) end += 1;
    const run = lines.slice(at, end);
    at = end;
    const parts = isQuote ? quotesToMarkdown(run, level + 1) : linesToMarkdown(run.map(({ text }) => text));
    const markdown = [...parts].join('').replace(/^\n+/, '').trimEnd();
    if (markdown === '') continue;
    if (!isFirst) yield '\n';
    isFirst = false;
    yield isQuote ? `${level === 0 ? FOLDED : ''}${quoted(markdown)}\n` : `${markdown}\n`;
  }
}

/** The head of a callout that Obsidian shows folded. */
const FOLDED = '> [!quote]-\n';

function quoted(markdown: string): string {
  return markdown.replace(/^.*$/gm, (line) => (line === '' ? '>' : `> ${line}`));
}

/** Quotes the mail that is answered in Markdown that was made of HTML, and folds the outermost quotations. */
export function withFoldedQuotes(markdown: string): string {
  const written = markdown.split('\n');
  const from = replyStart(
    written.map((line) => (line.startsWith('>') ? '' : line.replace(/[*_]+/g, '').trim())),
  );
  const answered = from === null ? [] : [quoted(written.slice(from).join('\n'))];
  let fence = '';
  let isQuote = false;
  const lines: string[] = [];
  for (const line of [...written.slice(0, from ?? written.length), ...answered.join('').split('\n')]) {
    const [mark = ''] = /^(?:`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === '') fence = mark;
    else if (line.trim() === fence) fence = '';
    const isNow = fence === '' && line.startsWith('>');
    if (isNow && !isQuote) lines.push(FOLDED.trimEnd());
    lines.push(line);
    isQuote = isNow;
  }
  return lines.join('\n');
}
