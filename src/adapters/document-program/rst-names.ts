import { leading } from './blocks';
import { linkTarget } from './markup';

/** A substitution: text with inline markup, and the address of a picture's link. */
export interface Substitution {
  readonly text: string;
  readonly address: string | null;
  /** False when the definition says more than is put in. */
  readonly isWhole: boolean;
  /** The lines that were read of it. */
  readonly lines: number;
}

/** Lines that continue an address or a definition at most. */
const MAX_CONTINUED = 40;
/** Names that lead to names at most. */
const MAX_HOPS = 8;
/** The text that substitutions add to a document at most (UTF-16 units), and the length of one that is put in. */
const MAX_SUBSTITUTED = 500_000;
const MAX_SUBSTITUTION = 2000;

const TARGET = /^ *\.\. +_(?![ _])(`[^`]+`|(?:\\.|[^:\\`])(?:\\.|[^:\\]){0,300}):(?: +(.*))?$/;
const ANONYMOUS = /^ *(?:\.\. +__:|__)(?: +(.*))$/;
const NOTE = /^ *\.\. +\[(\d+|\*|#|#?[\p{L}\p{N}][\p{L}\p{N}._:+-]*)\](?: |$)/u;
const SUBSTITUTION = /^ *\.\. +\|([^\s|](?:[^|]{0,300}[^\s|])?)\| +([\w-]+)::(?: +(.*))?$/;
/** A line before code, or the beginning of a comment. */
const VERBATIM =
  /^(?! *\.\. ).*::$|^ *\.\. +(?:code|code-block|sourcecode|parsed-literal|raw|math|graphviz|doctest|testcode)::|^ *\.\. +(?![ _|[])(?!\S+ ?::(?: |$))/;
const ADORNMENT = /^([!-/:-@[-`{-~])\1*$/;

function normalizedName(name: string): string {
  return name.replace(/^`|`$/g, '').replace(/\\(.)/g, '$1').replace(/\s+/g, ' ').trim().toLowerCase();
}

/** A target at the first line of its source: its name, null for that of the next anonymous reference, and its address. */
export function targetAt(line: string): { readonly name: string | null; readonly address: string } | null {
  const [, name, address = ''] = TARGET.exec(line) ?? [];
  if (name !== undefined) return { name, address };
  const anonymous = ANONYMOUS.exec(line)?.[1];
  return anonymous === undefined ? null : { name: null, address: anonymous };
}

/** Returns the label of a footnote or citation at whose first line this is, or null. */
export function noteLabel(line: string): string | null {
  return NOTE.exec(line)?.[1] ?? null;
}

export function substitutionName(line: string): string | null {
  return SUBSTITUTION.exec(line)?.[1] ?? null;
}

/** The names that a reStructuredText file defines anywhere, and which of them were used. */
export class RstNames {
  /** An address, the name of another target followed by `_`, or '' for a place in the file. */
  readonly #targets = new Map<string, string>();
  readonly #anonymous: string[] = [];
  #nextAnonymous = 0;
  readonly #used = new Set<string>();
  readonly #substitutions = new Map<string, Substitution>();
  readonly #usedSubstitutions = new Set<string>();
  #substituted = 0;
  readonly #notes = new NoteMarks();

  constructor(lines: readonly string[]) {
    /** Targets without an address, which lead where the next one does. */
    let open: string[] = [];
    /** The indentation beyond which lines are code or a comment. */
    let skipped = Infinity;
    for (const [at, line] of lines.entries()) {
      if (line === '' || leading(line) > skipped) continue;
      skipped = VERBATIM.test(line)
        ? (/^ *(?:[-*+] +|\w{1,9}[.)] +)*/.exec(line)?.[0].length ?? 0)
        : Infinity;
      if (at > 0 && ADORNMENT.test(line) && (lines[at - 1] ?? '') !== '') this.#title(lines[at - 1] ?? '');
      if (!/^ *(?:\.\.|__) /.test(line)) {
        open = [];
        continue;
      }
      const target = targetAt(line);
      if (target === null) this.#define(line, lines, at);
      else {
        const whole = addressOf(target.address, lines.slice(at, at + MAX_CONTINUED));
        if (target.name === null) this.#anonymous.push(whole);
        else {
          const name = normalizedName(target.name);
          open.push(name);
          this.#targets.set(name, whole);
        }
        if (whole === '') continue;
        for (const one of open) this.#targets.set(one, whole);
        open = [];
      }
    }
  }

  #title(title: string): void {
    const name = normalizedName(title);
    if (!this.#targets.has(name)) this.#targets.set(name, '');
  }

  #define(line: string, lines: readonly string[], at: number): void {
    const label = NOTE.exec(line)?.[1];
    if (label !== undefined) {
      this.#notes.define(label);
      if (!/^[\d*#]+$/.test(label)) this.#title(label.replace(/^#/, ''));
    }
    const [, name, kind = '', rest = ''] = SUBSTITUTION.exec(line) ?? [];
    const more = name === undefined ? [] : continued(lines, at);
    const found = name === undefined ? null : substitutionOf(kind, rest, more);
    if (name === undefined || found === null || found.text.length > MAX_SUBSTITUTION) return;
    const isWhole = found.isWhole && !this.#substitutions.has(normalizedName(name));
    this.#substitutions.set(normalizedName(name), { ...found, isWhole, lines: 1 + more.length });
  }

  /** Returns true when a reference may lead to this name. */
  isKnown(name: string): boolean {
    return this.#targets.has(normalizedName(name));
  }

  /** Returns true for the name of a place in the file. */
  isPlace(name: string): boolean {
    return this.#resolved(this.#targets.get(normalizedName(name)) ?? '') === null;
  }

  /** Returns the address of a name, or that of the next anonymous target; null for a place in the file and for unknown names. */
  reference(name: string, isAnonymous: boolean): string | null {
    if (isAnonymous) return this.#resolved(this.#anonymous[this.#nextAnonymous++] ?? '');
    this.#used.add(normalizedName(name));
    return this.#resolved(this.#targets.get(normalizedName(name)) ?? '');
  }

  /** Returns the address that a reference names itself, as `<https://…>` or `<name_>`, and keeps it for its text. */
  embedded(label: string, address: string): string | null {
    const found = this.#resolved(address);
    const name = normalizedName(label);
    if (found !== null && !this.#targets.has(name)) {
      this.#targets.set(name, found);
      this.#used.add(name);
    }
    return found;
  }

  #resolved(address: string): string | null {
    let at = address;
    for (let hop = 0; hop < MAX_HOPS && at !== ''; hop += 1) {
      if (!/_$/.test(at) || /^\w+:\/\//.test(at)) return at;
      const name = normalizedName(at.slice(0, -1));
      this.#used.add(name);
      at = this.#targets.get(name) ?? '';
    }
    return null;
  }

  /** Returns the address of a target that is in no link of the text, or null. */
  addressLeft(name: string): string | null {
    const isUsed = this.#used.has(normalizedName(name));
    const address = this.#resolved(this.#targets.get(normalizedName(name)) ?? '');
    return address === null || (isUsed && linkTarget(address) !== null) ? null : address;
  }

  /** Returns the addresses of anonymous targets that are in no link of the text. */
  anonymousLeft(): string[] {
    return this.#anonymous.flatMap((target, at) => {
      const address = this.#resolved(target);
      return address === null || (at < this.#nextAnonymous && linkTarget(address) !== null) ? [] : [address];
    });
  }

  /** Returns what stands for a name between bars, or null when that is unknown or is too long. */
  substitution(name: string): Substitution | null {
    const found = this.#substitutions.get(normalizedName(name)) ?? null;
    if (found === null || this.#substituted + found.text.length > MAX_SUBSTITUTED) return null;
    this.#substituted += found.text.length;
    this.#usedSubstitutions.add(normalizedName(name));
    return found;
  }

  /** Returns true when all that a definition of so many lines says is in the text. */
  isSubstituted(name: string, lines: number): boolean {
    const found = this.#substitutions.get(normalizedName(name));
    return (
      found?.isWhole === true && found.lines === lines && this.#usedSubstitutions.has(normalizedName(name))
    );
  }

  /** Returns the label of the footnote that a reference leads to, or null when there is none, and for citations. */
  noteMark(label: string): string | null {
    return this.#notes.reference(label);
  }

  /** Returns the label of the next footnote with this mark in the file, or null for a citation. */
  noteLabel(label: string): string | null {
    return this.#notes.next(label);
  }
}

/** The labels of footnotes. Those without one of their own, `[#]` and `[*]`, get it by their order. */
class NoteMarks {
  readonly #defined = new Set<string>();
  readonly #counts = { '#': 0, '*': 0 };
  readonly #references = { '#': 0, '*': 0 };
  readonly #written = { '#': 0, '*': 0 };
  /** The numbers of footnotes without one of their own. */
  readonly #numbers: number[] = [];

  define(label: string): void {
    if (label === '#' || label === '*') this.#counts[label] += 1;
    else this.#defined.add(label.toLowerCase());
  }

  reference(label: string): string | null {
    if (label === '#' || label === '*') {
      this.#references[label] += 1;
      return this.#references[label] > this.#counts[label]
        ? null
        : this.#mark(label, this.#references[label]);
    }
    return this.#defined.has(label.toLowerCase()) ? this.#own(label) : null;
  }

  next(label: string): string | null {
    if (label !== '#' && label !== '*') return this.#own(label);
    this.#written[label] += 1;
    return this.#mark(label, this.#written[label]);
  }

  /** Citations have names; they are shown as text. */
  #own(label: string): string | null {
    return /^(?:\d+$|#)/.test(label) ? label.replace('#', '') : null;
  }

  /** Numbers are those that no footnote has; symbols are told by their order. */
  #mark(label: '#' | '*', count: number): string {
    if (label === '*') return `symbol-${count}`;
    for (let number = this.#numbers.at(-1) ?? 0; this.#numbers.length < count;) {
      number += 1;
      if (!this.#defined.has(String(number))) this.#numbers.push(number);
    }
    return String(this.#numbers[count - 1]);
  }
}

/** Returns the indented lines behind a line, up to a blank one. */
function continued(lines: readonly string[], at: number): string[] {
  const indent = leading(lines[at] ?? '');
  const found: string[] = [];
  for (let next = at + 1; next < at + MAX_CONTINUED; next += 1) {
    const line = lines[next] ?? '';
    if (line === '' || leading(line) <= indent) break;
    found.push(line.trim());
  }
  return found;
}

/** Returns the lines that continue an address or a name: those without blanks, or all of a name. */
export function addressLines(first: string, source: readonly string[]): string[] {
  const more = continued(source, 0);
  const isName = first.startsWith('`') && /`_$/.test(more.at(-1) ?? '');
  return isName || more.every((line) => !line.includes(' ')) ? more : [];
}

/** Joins the lines of an address, which has no blanks, or of a name. */
function addressOf(first: string, source: readonly string[]): string {
  const whole = [first, ...addressLines(first, source)].join(' ').trim();
  if (/_$/.test(whole) && !/:\/\//.test(whole)) return whole.replace(/^`|`(?=_$)/g, '');
  return whole.replace(/\s+/g, '').replace(/\\(.)/g, '$1');
}

function substitutionOf(
  kind: string,
  first: string,
  more: readonly string[],
): Omit<Substitution, 'lines'> | null {
  const whole = { address: null, isWhole: true };
  if (kind === 'replace') return { ...whole, text: [first, ...more].join(' ').trim() };
  const options = more.filter((line) => /^:[\w-]+:/.test(line));
  const text = [first, ...more.filter((line) => !options.includes(line))].join(' ').trim();
  if (kind === 'unicode') return { ...whole, text: escaped(characters(text)), isWhole: options.length === 0 };
  if (kind !== 'image') return null;
  const option = (name: string) =>
    options
      .find((line) => line.startsWith(`:${name}:`))
      ?.slice(name.length + 2)
      .trim();
  const alt = option('alt');
  const isWhole =
    options.length === (alt === undefined ? 0 : 1) && (alt === undefined || linkTarget(text) !== null);
  return { text: escaped(alt ?? text), address: option('target') ?? text, isWhole };
}

/** Escapes text so that reStructuredText takes it as it is. */
function escaped(text: string): string {
  return text.replace(/[\\`*|_[\]:]/g, '\\$&');
}

/** Converts codes of characters (`0xA9`, `U+2014`, `&#x2014;`); other words stay text, and `..` begins a comment. */
function characters(text: string): string {
  return text
    .replace(/(?:^| )\.\. .*$/, '')
    .split(' ')
    .map((word) => {
      const hex = /^(?:0x|x|\\x|U\+|u|\\u|&#x)([0-9a-f]+);?$/i.exec(word)?.[1];
      const value = hex === undefined ? Number(/^\d+$/.exec(word)?.[0] ?? NaN) : Number.parseInt(hex, 16);
      return value > 0 && value <= 0x10ffff ? String.fromCodePoint(value) : word;
    })
    .join('');
}
