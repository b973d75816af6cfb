/** The amounts of what an element holds; text in characters without white space. */
interface Amount {
  readonly text: number;
  /** The text inside links. */
  readonly linked: number;
  /** The text of paragraphs that read like prose, and of code. */
  readonly prose: number;
  /** The part of `prose` that has no other box around it. */
  readonly own: number;
  readonly links: number;
  /** The number of headings that lead to other pages. */
  readonly teasers: number;
  /** True with a title of the page, code or a table. */
  readonly isKept: boolean;
}

type Amounts = ReadonlyMap<Node, Amount>;

const NONE: Amount = { text: 0, linked: 0, prose: 0, own: 0, links: 0, teasers: 0, isKept: false };

/** The elements inside a paragraph; any other element ends it. */
const INLINE = new Set(
  'A ABBR ACRONYM B BDI BDO BIG BR CITE CODE DATA DEL DFN EM FONT I IMG INS KBD LABEL MARK Q RB RP RT RUBY S SAMP SMALL SPAN STRIKE STRONG SUB SUP TIME TT U VAR WBR'.split(
    ' ',
  ),
);

/** Words of classes and ids that name boilerplate. */
const STRONG = names(
  'ads adsense advert advertisement advertising author-box author-info author_section breadcrumb breadcrumbs captcha comments comment-form comment-list cookie cookies cookiebanner consent disqus dropdown footer gdpr impressum lightbox menu modal nav navbar navi navigation newsletter offcanvas outbrain overlay pager pagination paging popup recirc recirculation recommended recommendations related respond sharedaddy shariff share share-buttons sharing sidebar sidenav signup skip skip-link social socials sponsor sponsored subscribe subscription tagcloud taboola toolbar topbar trending widget',
);
/** Parts of such words, for names without separators and in other languages. */
const PARTS =
  /sidebar|seitenleiste|breadcrumb|paginat|newsletter|cookie|advertis|werbung|navigation|commentform|comentario|commentaire|kommentar|akismet|relatedpost|related-|recommend|socialmedia|footer|warenkorb|abonnement|author-?(?:box|bio)/i;
/** Words that also name parts of a story, which then hold more prose. */
const WEAK = names(
  'ad appstore appstores author author-name bio byline cart comment copyright credit credits cta dateline disclaimer follow foot image-source infobar login logo meta more-stories next-article popular post-date post-nav posted-on print promo promoted promotion publish-date published rating ratings read-more read-next readmore registration reply rss search searchbox shop signin source-image tags utility warenkorb widgets',
);
/** Words that name the lead of a story as well. */
const LEAD = names('banner header masthead teaser teasers');
const ROLES =
  /^(?:alertdialog|banner|complementary|contentinfo|dialog|menu|menubar|navigation|search|tablist|toolbar)$/;
const HEADING = /^H[1-6]$/;

const MENU = /^(?:NAV|FOOTER)$/;
/** The prose from which a page has a story (characters). A shorter page is kept whole. */
const MIN_STORY = 250;
/** The share of a page's prose that no boilerplate has. */
const MAX_SHARE = 0.4;
/** The prose of a story beside which an aside of any size is none (characters). */
export const LONG_STORY = 1000;
/** The prose of a sentence or two (characters): a name that is also that of a part of a story tells little about more. */
const FEW = 100;
/** The prose up to which a box is as its name says (characters), where stories have other names. */
const SOME = 250;
/** The shortest run of text that is prose (characters): shorter ones are labels. */
const MIN_RUN = 40;

function names(words: string): RegExp {
  return new RegExp(`(?:^|[\\s_-])(?:${words.replaceAll(' ', '|')})(?=$|[\\s_-]|\\d)`, 'i');
}

function isElement(node: Node): node is HTMLElement {
  return node.nodeType === 1;
}

/**
 * Removes boilerplate from the body of a page, in id, and returns the element that holds the story. The body must have been
 * pruned, which limits its depth. A page without a clear story keeps all its prose.
 */
export function storyOf(body: HTMLElement): HTMLElement {
  const known = measured(body);
  const whole = known.get(body) ?? NONE;
  const noise = new Set<Node>();
  const gone = markNoise(body, known, whole, noise);
  const rest = whole.prose - gone.prose;
  const isClear = whole.prose >= MIN_STORY && (rest >= gone.prose || rest >= 400);
  if (isClear) markHeadings(body, noise);
  for (const node of noise)
    if (
      isClear ||
      MENU.test(node.nodeName) ||
      (whole.prose >= MIN_STORY && (known.get(node)?.prose ?? 0) === 0)
    )
      node.parentNode?.removeChild(node);
  return isClear ? narrow(body) : body;
}

/** Measures an element and everything below it; the depth must be limited. */
export function measured(root: HTMLElement): Amounts {
  const known = new Map<Node, Amount>();
  measure(root, false, known);
  return known;
}

/** Measures an element and all below it. A run of text and inline elements between boxes is one paragraph. */
function measure(element: HTMLElement, isLinked: boolean, known: Map<Node, Amount>): Amount {
  const sum = {
    text: 0,
    linked: 0,
    prose: 0,
    own: 0,
    links: 0,
    teasers: 0,
    isKept: KEPT.has(element.nodeName),
  };
  const run = { text: 0, linked: 0 };
  const endRun = () => {
    if (run.text >= MIN_RUN && run.linked * 3 < run.text) {
      sum.prose += run.text - run.linked;
      sum.own += run.text - run.linked;
    }
    Object.assign(run, { text: 0, linked: 0 });
  };
  for (let child = element.firstChild; child !== null; child = child.nextSibling) {
    if (child.nodeType === 3) {
      const size = sizeOf(child.nodeValue ?? '');
      sum.text += size;
      run.text += size;
      if (isLinked) run.linked += size;
      if (isLinked) sum.linked += size;
    }
    if (!isElement(child)) continue;
    const inner = measure(child, isLinked || child.nodeName === 'A', known);
    sum.text += inner.text;
    sum.linked += inner.linked;
    sum.links += inner.links + (child.nodeName === 'A' ? 1 : 0);
    sum.teasers += inner.teasers;
    if (inner.isKept) sum.isKept = true;
    if (INLINE.has(child.nodeName) && inner.prose === 0) {
      run.text += inner.text;
      run.linked += inner.linked;
      continue;
    }
    if (!INLINE.has(child.nodeName)) endRun();
    sum.prose += inner.prose;
    if (PARAGRAPH.has(child.nodeName)) sum.own += inner.prose;
  }
  if (!INLINE.has(element.nodeName)) endRun();
  if (element.nodeName === 'PRE') sum.prose = sum.text;
  if (HEADING.test(element.nodeName) && sum.linked > 0.5 * sum.text && leadsAway(element)) sum.teasers = 1;
  known.set(element, sum);
  return sum;
}

const KEPT = new Set(['H1', 'PRE', 'TABLE']);
const PARAGRAPH = new Set(['P', 'PRE', 'BLOCKQUOTE']);

/** Counts the characters of a text without white space; those of East Asian scripts say more and count twice. */
function sizeOf(text: string): number {
  const shown = text.replace(/\s+/g, '');
  return shown.length + (shown.match(/[\u2e80-\uffdc]/g)?.length ?? 0);
}

/** Returns true when the link in or around a heading leads to another page. */
function leadsAway(heading: Element): boolean {
  let link: Element | null | undefined = heading.getElementsByTagName('a')[0];
  for (let at = heading.parentElement; !link && at !== null; at = at.parentElement)
    if (at.nodeName === 'A') link = at;
  return !/^(?:#|$|javascript:)/.test(link?.getAttribute('href') ?? '');
}

/** Adds the boilerplate below an element to `noise` and returns its amount of text and prose. */
function markNoise(
  element: HTMLElement,
  known: Amounts,
  whole: Amount,
  noise: Set<Node>,
): Pick<Amount, 'text' | 'prose'> {
  let [text, prose] = [0, 0];
  for (let child = element.firstChild; child !== null; child = child.nextSibling) {
    const amount = known.get(child) ?? NONE;
    if (!isElement(child) || amount.text === 0) continue;
    let gone: Pick<Amount, 'text' | 'prose'> = amount;
    if (!isBoilerplate(child, amount, whole, known.get(element) ?? NONE)) {
      gone = markNoise(child, known, whole, noise);
      // What is left of a box without prose is its heading or its buttons.
      const isLeft = !amount.isKept && !INLINE.has(child.nodeName) && gone.prose === amount.prose;
      if (isLeft && gone.text * 2 > amount.text) gone = amount;
    }
    if (gone === amount) noise.add(child);
    text += gone.text;
    prose += gone.prose;
  }
  return { text, prose };
}

function isBoilerplate(element: HTMLElement, amount: Amount, whole: Amount, around: Amount): boolean {
  const tag = element.nodeName;
  const { text, prose, isKept } = amount;
  const isAside = ASIDES.has(tag);
  if (isAside && whole.prose - prose >= LONG_STORY) return true;
  if (tag === 'H1' || prose > MAX_SHARE * whole.prose) return false;
  if (isAside) return true;
  if (ROLES.test(element.getAttribute('role') ?? '')) return true;
  if (isInLine(element)) return false;
  if (isNamed(element, (name) => STRONG.test(name) || PARTS.test(name))) return true;
  if (HEADING.test(tag)) return false;
  if (holdsTeasers(amount)) return true;
  const hasTitle = () => isKept && element.getElementsByTagName('h1').length > 0;
  const isWeak = (name: string) => (prose < SOME && WEAK.test(name)) || (prose < FEW && LEAD.test(name));
  if (!hasTitle() && isNamed(element, isWeak)) return true;
  if (tag === 'FORM' && prose * 2 < text) return true;
  if (tag === 'HEADER' && prose === 0) return !hasTitle();
  // A list of links between paragraphs belongs to them.
  return around.own === 0 && LISTS.has(tag) && holdsLinks(amount);
}

function holdsTeasers({ text, prose, teasers, isKept }: Amount): boolean {
  return teasers >= 2 && prose < 150 * teasers && text < 400 * teasers && !isKept;
}

function holdsLinks({ text, linked, prose, links }: Amount): boolean {
  return links > 2 && linked > 0.6 * text && prose < 0.2 * text;
}

const ASIDES = new Set(['NAV', 'ASIDE', 'FOOTER']);
const LISTS = new Set(['UL', 'OL', 'DIV', 'SECTION', 'TABLE', 'DL', 'TD']);

/** Returns true for an element within a line of text. */
function isInLine({ nodeName, parentElement }: Element): boolean {
  if (nodeName === 'A') return /^(?:P|LI|TD|TH|DD|DT|H\d|SPAN)$/.test(parentElement?.nodeName ?? '');
  return INLINE.has(nodeName) && nodeName !== 'SPAN';
}

/** Asks about the classes of an element and its id. An id that repeats its heading is an address, whatever its words. */
function isNamed(element: Element, ask: (name: string) => boolean): boolean {
  if (ask(element.getAttribute('class') ?? '')) return true;
  const { id, nodeName } = element;
  if (id === '' || HEADING.test(nodeName) || !ask(id)) return false;
  const heading = element.querySelector('h1, h2, h3, h4, h5, h6');
  return !heading || !slug(heading.textContent ?? '').startsWith(slug(id));
}

function slug(text: string): string {
  return (
    text
      .slice(0, 200)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join('-') ?? ''
  );
}

/** Adds each heading to `noise` that has nothing but noise below it, up to the next heading. */
function markHeadings(body: HTMLElement, noise: Set<Node>): void {
  let heading: Node | null = null;
  let hasNoise = false;
  const end = () => {
    if (heading !== null && hasNoise) noise.add(heading);
    heading = null;
    hasNoise = false;
  };
  const walk = (element: Node) => {
    for (let child = element.firstChild; child !== null; child = child.nextSibling) {
      if (noise.has(child)) hasNoise = true;
      else if (/^H[2-6]$/.test(child.nodeName)) {
        end();
        heading = child;
      } else if (child.nodeName === 'IMG' || (child.nodeType === 3 && (child.nodeValue ?? '').trim() !== ''))
        heading = null;
      else walk(child);
    }
  };
  walk(body);
  end();
}

const BOXES = /^(?:DIV|SECTION|ARTICLE|MAIN|FORM|TABLE|TBODY|TR|TD|CENTER|FONT|SPAN)$/;

/** The boxes of text that counts although it is short. */
const TEXTS = new Set(['P', 'PRE', 'BLOCKQUOTE', 'TABLE', 'DL']);

const END_OF_SENTENCE = /[^.\s][.!?\u3002\uff01\uff1f]["'\u201d\u2019\u00bb)]?$/;

/** Returns true when a text of several words ends as a sentence does; `Loading…` does not. */
function isSaid(text: string): boolean {
  const said = text.trim();
  return /\s/.test(said) && END_OF_SENTENCE.test(said.slice(-4));
}

/** Descends while one box holds nearly all prose, and no prose lies before it or apart after it. */
function narrow(body: HTMLElement): HTMLElement {
  const known = measured(body);
  const of = (node: Node) => known.get(node) ?? NONE;
  let at = body;
  for (;;) {
    const children = Array.from(at.children).filter(isElement);
    const place = children.findIndex((one) => of(one).prose >= 0.8 * of(at).prose);
    const next = children[place];
    if (next === undefined || !BOXES.test(next.nodeName)) return at;
    const isApart = (one: HTMLElement, n: number) => {
      const { text, linked, prose } = of(one);
      if (n === place || linked >= 0.3 * text) return false;
      if (one.nodeName === 'MAIN' && isSaid(one.textContent ?? '')) return true;
      if (n < place) return prose > 0 || TEXTS.has(one.nodeName);
      if (TEXTS.has(one.nodeName)) return true;
      return /^(?:ARTICLE|MAIN)$/.test(one.nodeName) ? prose > FEW : prose > 2 * FEW && linked < 0.2 * text;
    };
    if (children.some(isApart)) return at;
    at = next;
  }
}
