import { emphasised, formula, Inline, InlineScanner } from './blocks';
import { inlineCode, link, linkTarget, literal } from './markup';
import { documentTarget } from './rst-directives';
import type { RstNames } from './rst-names';

/** A character that may begin markup. */
const SPECIAL = /[\\`*|[_:]/g;
/** What may stand before and behind markup (reStructuredText specification, "Inline markup recognition rules"). */
const BEFORE = /^$|[\s'"([{<\-/:]|(?![ -~])\p{P}/u;
const AFTER = String.raw`(?=$|[\s'")\]}>\-/\\:.,;!?]|(?![ -~])\p{P})`;
const CLOSING: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  '(': ')',
  '[': ']',
  '{': '}',
  '<': '>',
};

/** The ends of markup by the mark that begins it. */
const ENDS: Readonly<Record<string, RegExp>> = {
  '*': new RegExp(String.raw`(?<![\s\\])\*${AFTER}`, 'gu'),
  '**': new RegExp(String.raw`(?<![\s\\])\*\*${AFTER}`, 'gu'),
  '``': new RegExp(String.raw`(?<!\s)\x60\x60${AFTER}`, 'gu'),
  '`': new RegExp(String.raw`(?<![\s\\])\x60(__?|:\w[\w:+.-]{0,80}:)?${AFTER}`, 'gu'),
};
/** A substitution, whose name holds no bar. */
const SUBSTITUTION = new RegExp(String.raw`\|([^|]*[^\s\\|])\|(__?)?${AFTER}`, 'uy');
const ROLE = /:(\w[\w:+.-]{0,80}):`/y;
const NOTE = new RegExp(String.raw`\[(\d{1,9}|\*|#?[\p{L}\p{N}][\p{L}\p{N}._:+-]{0,100}|#)\]_${AFTER}`, 'uy');
const REFERENCE = new RegExp(String.raw`__?${AFTER}`, 'uy');
const NAME = /[\p{L}\p{N}]+(?:[-._+:][\p{L}\p{N}]+)*$/u;

/** Substitutions in substitutions at most. */
const MAX_DEPTH = 3;
/** Roles whose text may end in a target in angle brackets. */
const CROSS_REFERENCE =
  /^(?:ref|doc|numref|term|any|download|option|envvar|token|keyword|eq|func|class|meth|mod|attr|data|exc|obj|const|member|macro|type)$|:/;
const CODE = /^(?:literal|code|file|samp|command)$/;

/** Removes backslashes of escapes; an escaped blank joins what is around it. */
function unescaped(text: string): string {
  return text.replace(/\\(?:\s|([^])|$)/g, '$1');
}

/** Converts the inline markup of reStructuredText. */
export class RstInline {
  readonly #names: RstNames;

  constructor(names: RstNames) {
    this.#names = names;
  }

  /** Converts the text of a paragraph, a title or a cell. Text without a meaning in reStructuredText stays as written. */
  convert(source: string): Inline {
    const out = new Inline(source);
    new Scanner(source, out, this.#names).scan();
    return out;
  }
}

class Scanner extends InlineScanner {
  /** Marks that have no end in the rest of the text, which is not searched again. */
  readonly #endless = new Set<string>();

  constructor(
    source: string,
    out: Inline,
    private readonly names: RstNames,
    /** How many substitutions this text stands in. */
    private readonly depth = 0,
  ) {
    super(SPECIAL, source, out);
  }

  protected markup(here: number): number {
    const { source } = this;
    switch (source.charAt(here)) {
      case '\\': {
        const end = this.takeUpTo(here, here + 2);
        this.out.text(unescaped(source.slice(here, end)));
        return end;
      }
      case '`':
        return source.startsWith('``', here) ? this.#code(here) : this.#interpreted(here, here, null);
      case '*':
        return this.#emphasis(here);
      case '|':
        return this.#substitution(here);
      case '[':
        return this.#note(here);
      case ':': {
        ROLE.lastIndex = here;
        const [whole, role = ''] = ROLE.exec(source) ?? [];
        return whole === undefined ? here + 1 : this.#interpreted(here, here + whole.length - 1, role);
      }
      default:
        return source.startsWith('_`', here) ? this.#inlineTarget(here) : this.#reference(here);
    }
  }

  /** Returns true where markup may begin whose mark is `length` long. */
  #begins(here: number, length: number): boolean {
    const [before, after] = [this.source.charAt(here - 1), this.source.charAt(here + length)];
    return BEFORE.test(before) && after.trim() !== '' && !(before !== '' && CLOSING[before] === after);
  }

  /** Returns the end of markup whose text begins at an offset, or null. */
  #end(mark: string, from: number): RegExpExecArray | null {
    const pattern = ENDS[mark];
    if (pattern === undefined || this.#endless.has(mark)) return null;
    pattern.lastIndex = from + 1;
    const end = pattern.exec(this.source);
    if (end === null) this.#endless.add(mark);
    return end;
  }

  #code(here: number): number {
    const end = this.#begins(here, 2) ? this.#end('``', here + 2) : null;
    if (end === null) return here + 2;
    const text = this.source.slice(here + 2, end.index).replace(/\n/g, ' ');
    this.takeUpTo(here, end.index + 2);
    this.out.piece(inlineCode(text), text);
    return this.done;
  }

  #emphasis(here: number): number {
    const mark = this.source.startsWith('**', here) ? '**' : '*';
    const end = this.#begins(here, mark.length) ? this.#end(mark, here + mark.length) : null;
    if (end === null) return here + mark.length;
    const text = unescaped(this.source.slice(here + mark.length, end.index));
    this.takeUpTo(here, end.index + mark.length);
    this.out.piece(emphasised(mark, text), text);
    return this.done;
  }

  #substitution(here: number): number {
    if (this.depth >= MAX_DEPTH || !this.#begins(here, 1)) return here + 1;
    SUBSTITUTION.lastIndex = here;
    const [whole = '', name = '', mark] = SUBSTITUTION.exec(this.source) ?? [];
    const found = whole === '' ? null : this.names.substitution(name);
    if (found === null) return here + 1;
    this.takeUpTo(here, here + whole.length);
    const inner = new Inline(found.text);
    new Scanner(found.text, inner, this.names, this.depth + 1).scan();
    const address = mark === undefined ? found.address : this.names.reference(name, mark === '__');
    const target = address === null ? null : linkTarget(address);
    this.out.piece(target === null ? inner.line() : link(target, inner.shown()), inner.shown());
    return this.done;
  }

  #note(here: number): number {
    NOTE.lastIndex = here;
    const [whole, label = ''] = (BEFORE.test(this.source.charAt(here - 1)) && NOTE.exec(this.source)) || [];
    if (whole === undefined) return here + 1;
    this.takeUpTo(here, here + whole.length);
    const mark = this.names.noteMark(label);
    if (mark === null) this.out.text(`[${label}]`);
    else this.out.piece(`[^${mark}]`, '');
    return this.done;
  }

  #inlineTarget(here: number): number {
    const end = this.#begins(here, 2) ? this.#end('`', here + 2) : null;
    if (end === null) return here + 1;
    this.takeUpTo(here, end.index + end[0].length);
    this.out.text(unescaped(this.source.slice(here + 2, end.index)));
    return this.done;
  }

  /** A reference by a name without back quotes, such as `name_`. */
  #reference(here: number): number {
    REFERENCE.lastIndex = here;
    const mark = REFERENCE.exec(this.source)?.[0];
    const name = NAME.exec(this.source.slice(Math.max(this.done, here - 100), here))?.[0] ?? '';
    if (mark === undefined || name === '' || !BEFORE.test(this.source.charAt(here - name.length - 1)))
      return here + 1;
    const isAnonymous = mark === '__';
    if (!isAnonymous && !this.names.isKnown(name)) return here + 1;
    const address = this.names.reference(name, isAnonymous);
    if (isAnonymous && address === null) return here + 2;
    this.takeUpTo(here - name.length, here + mark.length);
    const target = address === null ? null : linkTarget(address);
    if (target === null) this.out.text(name);
    else this.out.piece(link(target, name), name);
    return this.done;
  }

  /** Text between single back quotes, with a role before or behind it. */
  #interpreted(here: number, quote: number, role: string | null): number {
    const begins = this.#begins(here, 1) && this.source.charAt(quote + 1).trim() !== '';
    const end = begins ? this.#end('`', quote + 1) : null;
    if (end === null) return here + 1;
    const text = this.source.slice(quote + 1, end.index);
    const [whole, behind = ''] = end;
    this.takeUpTo(here, end.index + whole.length);
    if (role !== null) {
      this.#inRole(role, text);
      this.out.text(behind);
    } else if (behind.startsWith('_')) this.#phrase(text, behind === '__');
    else this.#inRole(behind.slice(1, -1), text);
    return this.done;
  }

  /** A reference by a phrase, which may name its address. */
  #phrase(text: string, isAnonymous: boolean): void {
    const [label, embedded] = splitTarget(text);
    const address =
      embedded === null
        ? this.names.reference(label, isAnonymous)
        : this.names.embedded(label, unescaped(embedded));
    const target = address === null ? null : linkTarget(address);
    const shown = unescaped(label === '' ? (embedded ?? '') : label);
    if (target !== null) this.out.piece(link(target, shown), shown);
    else this.out.text(embedded === null || address === null ? shown : `${shown} <${unescaped(embedded)}>`);
  }

  #inRole(role: string, source: string): void {
    const name = role.toLowerCase();
    const text = unescaped(source);
    if (name === '' || /^(?:emphasis|title(?:-reference)?|t|dfn)$/.test(name))
      this.out.piece(emphasised('*', text), text);
    else if (name === 'strong') this.out.piece(emphasised('**', text), text);
    else if (CODE.test(name)) this.out.piece(inlineCode(source.replace(/\n/g, ' ')), source);
    else if (name === 'math') this.out.piece(formula(source), source);
    else if (/^su[bp](?:script)?$/.test(name)) {
      const tag = name.slice(0, 3);
      this.out.piece(`<${tag}>${literal(text, { hasMath: true })}</${tag}>`, text);
    } else if (/^(?:pep|rfc)(?:-reference)?$/.test(name)) this.#standard(name.slice(0, 3), text);
    else if (CROSS_REFERENCE.test(name)) this.#crossReference(name, source);
    else this.out.text(text);
  }

  #standard(name: string, text: string): void {
    const number = /^\d{1,5}/.exec(text)?.[0];
    const shown = `${name.toUpperCase()} ${text}`;
    if (number === undefined) return this.out.text(shown);
    const address =
      name === 'pep'
        ? `https://peps.python.org/pep-${number.padStart(4, '0')}/`
        : `https://www.rfc-editor.org/rfc/rfc${number}`;
    this.out.piece(link(address, shown), shown);
  }

  #crossReference(name: string, source: string): void {
    const [label, embedded] = splitTarget(source);
    const said = unescaped(label === '' ? (embedded ?? '') : label).replace(/^[~!](?=.)/, '');
    const file = embedded ?? label;
    const target = name === 'doc' ? documentTarget(file) : linkTarget(file);
    if (target !== null && (name === 'doc' || name === 'download')) this.out.piece(link(target, said), said);
    else this.out.text(said);
  }
}

/** Splits `text <target>`; the target is null when there is none. */
function splitTarget(source: string): [string, string | null] {
  const text = source.replace(/\s+/g, ' ');
  const open = text.endsWith('>') && !text.endsWith('\\>') ? text.lastIndexOf('<', text.length - 2) : -1;
  if (open < 0 || text[open - 1] === '\\' || open === text.length - 2) return [text, null];
  if (open > 0 && text[open - 1] !== ' ') return [text, null];
  const target = text.slice(open + 1, -1);
  // An address may go on in the next line.
  return [text.slice(0, open).trimEnd(), /_$/.test(target) ? target : target.replace(/ /g, '')];
}
