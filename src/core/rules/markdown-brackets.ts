import { destinations, destinationSteps } from './markdown-pairs';
import type { Section } from './markdown-section';
import type { Definitions, LinkSpan, Span } from './markdown-spans';
import { LABEL, labelKey, match } from './markdown-tokens';
import type { Steps } from '../steps';

interface Opener {
  readonly at: number;
  readonly image: boolean;
  /** How many spans had been found when it opened. */
  readonly spans: number;
  /** Where the comment or math that it stands in ends, or 0. */
  readonly regionEnd: number;
}

/**
 * Pairs the square brackets of a section and adds the links and images that they make to `spans`. Where readers may pair
 * them in different ways, because a comment or math stands between or code is in doubt, the link is reported with every
 * opening bracket that it could have.
 */
export class Brackets {
  /** Where the parentheses of the last link end for a reader who sees that link, whatever else may be seen in them. */
  reach = 0;
  readonly #openers: Opener[] = [];
  /** Openings of images whose bracket was closed by something that made no image of them. */
  readonly #lost: Opener[] = [];
  #destination: ReturnType<typeof destinations>;
  #lastLink = -1;
  #lastClose = -1;

  constructor(
    private readonly section: Section,
    private readonly definitions: Definitions,
    private readonly spans: Span[],
    private readonly codeInDoubt: boolean,
  ) {
    this.#destination = destinations(section.text);
  }

  /** Looks for the ends of all addresses in steps; without it they are looked for when the first is asked for. */
  *prepare(): Steps<void> {
    this.#destination = yield* destinationSteps(this.section.text);
  }

  open(at: number, image: boolean, regionEnd: number): void {
    this.#openers.push({ at, image, spans: this.spans.length, regionEnd });
  }

  /** Opens both brackets that a wikilink begins with. */
  openTwo(at: number, image: boolean, regionEnd: number): void {
    this.open(at, image, regionEnd);
    this.open(at + 1, false, regionEnd);
  }

  /** Notes that a wikilink was added: what stands around it holds a link. */
  linkAdded(): void {
    this.#lastLink = this.spans.length - 1;
  }

  /** Answers the offset after the link whose text ends with the bracket at `at`, or after that bracket. */
  close(at: number): number {
    const { text } = this.section;
    const opener = this.#openers.pop() ?? this.#lost.at(-1);
    const plain = this.#lastClose < (opener?.at ?? at);
    this.#lastClose = at;
    if (text[at + 1] === '(') {
      const end = this.#inline(at, opener);
      if (end > 0) return end;
    }
    if (opener === undefined) return at + 1;
    const end = this.#reference(opener, at, plain);
    if (end > 0) return end;
    if (opener.image && opener !== this.#lost.at(-1)) this.#lost.push(opener);
    return at + 1;
  }

  /**
   * The address in parentheses right behind a wikilink that ends before `end`, or behind an embed the label of one: some
   * readers see a link or an image there whose text is the wikilink.
   */
  aroundWikilink(at: number, end: number, image: boolean): void {
    const { text } = this.section;
    const opener = { at, image, spans: this.spans.length, regionEnd: 0 };
    this.reach = end;
    if (text[end] === '(') {
      this.#add(opener, end - 1, end, { ...this.#inParentheses(end), loose: true });
      return;
    }
    const addresses = image ? this.#labelled(end).addresses : undefined;
    if (addresses === undefined) return;
    const open = end + this.section.from;
    this.#add(opener, end - 1, end, { addresses, open, addressFrom: open, loose: true, closed: true });
  }

  #inline(at: number, opener: Opener | undefined): number {
    const inside = this.#inParentheses(at + 1);
    const [first, ...others] = this.#possible(opener, at);
    const end = inside.loose || first === undefined ? 0 : this.#destination(at + 1).end;
    this.#add(first ?? { at, image: false, spans: this.spans.length, regionEnd: 0 }, at, end || at + 1, {
      ...inside,
      loose: inside.loose || first === undefined,
    });
    for (const other of others) this.#add(other, at, at + 1, { ...inside, loose: true });
    return end;
  }

  /** The opener, and those that another reader would pair with the same bracket. */
  #possible(opener: Opener | undefined, at: number): Opener[] {
    const openers = opener === undefined ? [] : [opener];
    for (let last = opener; last !== undefined && last.regionEnd > 0 && last.regionEnd <= at;) {
      last = this.#openers.pop();
      if (last === undefined) break;
      openers.push(last);
      if (last.image) this.#lost.push(last);
    }
    const lost = this.codeInDoubt && opener?.image !== true ? this.#lost.at(-1) : undefined;
    return lost === undefined || lost === opener ? openers : [...openers, lost];
  }

  #inParentheses(open: number): Pick<LinkSpan, 'addresses' | 'open' | 'addressFrom' | 'loose' | 'closed'> {
    const found = this.#destination(open);
    const base = this.section.from;
    this.reach = found.reach;
    return {
      addresses: [found.address],
      open: open + base,
      addressFrom: found.from + base,
      loose: found.loose,
      closed: !found.loose,
    };
  }

  /** Adds the link whose address stands in a definition; 0 when there is none. A label holds no brackets. */
  #reference(opener: Opener, at: number, plain: boolean): number {
    const { addresses: known, starts } = this.definitions;
    if (known.size === 0 || starts.has(opener.at + this.section.from)) return 0;
    const { text } = this.section;
    const { label, addresses: full } = this.#labelled(at + 1);
    const own =
      !plain || at - opener.at > 1000 ? undefined : known.get(labelKey(text.slice(opener.at + 1, at)));
    const addresses = full ?? own;
    if (addresses === undefined) return 0;
    const end = full !== undefined || label?.[1] === '' ? at + 1 + (label?.[0].length ?? 0) : at + 1;
    const addressFrom = end + this.section.from;
    this.#add(opener, at, end, { addresses, open: null, addressFrom, loose: false, closed: true });
    // For a reader who sees no definition the label is the text of a link.
    return text[end] === '(' ? at + 1 : end;
  }

  /** The label at an offset, if there is one, and the addresses that are known for it. */
  #labelled(at: number): {
    readonly label: RegExpExecArray | null;
    readonly addresses: readonly string[] | undefined;
  } {
    const { text } = this.section;
    const label = text[at] === '[' ? match(LABEL, text, at) : null;
    const key = label === null ? '' : labelKey(label[1] ?? '');
    return { label, addresses: key === '' ? undefined : this.definitions.addresses.get(key) };
  }

  #add(
    { at, image, spans: before }: Opener,
    close: number,
    end: number,
    rest: Pick<LinkSpan, 'addresses' | 'open' | 'addressFrom' | 'loose' | 'closed'>,
  ): void {
    const { spans } = this;
    const nested = this.#lastLink >= before;
    if (!image && !rest.loose) {
      // Each image is looked at by the innermost link around it only.
      for (let index = spans.length - 1; index >= before; index -= 1) {
        const span = spans[index];
        if (span?.kind === 'link') break;
        if (span?.kind === 'image') span.inLink = true;
      }
    }
    const base = this.section.from;
    spans.push({
      kind: image ? 'image' : 'link',
      from: (image ? at - 1 : at) + base,
      to: end + base,
      section: this.section,
      textFrom: Math.min(at + 1, close) + base,
      textTo: close + base,
      nested,
      inLink: false,
      ...rest,
    });
    if (!rest.loose) this.#lastLink = spans.length - 1;
  }
}
