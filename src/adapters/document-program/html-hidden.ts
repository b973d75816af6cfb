import { LONG_STORY, measured } from './html-main';

/** A hidden box holds this many times the visible text, where a script shows the page. */
const MOST = 3;

/** Boxes that lie over a page, by their names, and the usual programs that ask for consent. */
const OVER_PAGE =
  /(?:^|[\s_-])(?:modal|pop-?up|overlay|lightbox|dialog|consent|gdpr|ccpa|cookie[\w-]*(?:banner|bar|box|consent|law|message|modal|notice|notification|overlay|popup|wall|warning|info))(?=$|[\s_-])|(?:^|\s)(?:cli-|wt-cli|ot-sdk|qc-cmp|cmplz|cky-|cc-(?:window|banner)|fc-(?:consent|dialog)|sp_message|moove)|cookie-?(?:banner|consent|law|notice|modal|popup)|cookiebot|cybot|onetrust|optanon|didomi|borlabs|usercentrics|iubenda-cs|truste|osano|klaro|tarteaucitron|termly|quantcast/i;
const ROLE_OVER_PAGE = '[role="dialog"], [role="alertdialog"], [aria-modal="true"], dialog[open]';
/** What is a part of a story, whatever it is called. */
const LINES = 'p, span, li, td, blockquote';
/** Words by which a box asks for consent, in the languages of the web. */
const CONSENT =
  /cookie|consent|gdpr|ccpa|privacy|opt[- ]?out|personal (?:data|information)|einwillig|zustimm|datenschutz|akzeptier|confidentialité|accepter|vie privée|privacidad|aceptar|aceitar|accett|toestemming|samtyc?k|personvern|eväste|suostumus|ciastecz|zgod[ayęą]|prywatno|souhlas|hozzájárul|sütik?(?!\p{L})|adatvéd|çerez|gizlilik|согласи|конфиденциальност|куки|cookie-файл|συγκατάθε|απόρρητ|쿠키|동의|クッキー|同意|プライバシー|隐私|隱私|עוגיות|פרטיות|ملفات تعريف الارتباط|الخصوصية/giu;
/** Words by which a box asks for an address. */
const NEWSLETTER =
  /(?<!\p{L})(?:newsletter|subscribe|subscription|sign ?up(?!\p{L})|rundbrief|abonn(?:ier|ez|é|eer)|anmeld(?:en|ung)|inscri(?:vez|ption|re(?!\p{L})|ba|bir)|suscr[ií](?:b|pci)|iscri(?:vi|zion))|рассылк|подпи[сш]|メールマガジン|メルマガ|订阅|訂閱|구독/iu;
/** The characters beside one word of consent, and those of a box that asks for an address. */
const [BESIDE_CONSENT, SHORT_BOX] = [400, 800];
/** The text from which a page is more than its dialogs (characters). */
const MORE = 200;

/**
 * Removes dialogs over a page that ask for consent or for an address, in id, however long they are. A page about such matters
 * keeps boxes that only their names make dialogs, and one that is nothing else keeps all. The depth of the body must be limited.
 */
export function removeDialogs(body: HTMLElement, title: string): void {
  const heading = body.querySelector('h1')?.textContent ?? '';
  const asking = askingBoxes(body, `${title} ${heading}`.search(CONSENT) >= 0);
  if (asking.length === 0) return;
  const known = measured(body);
  const of = (node: Node) => known.get(node) ?? { text: 0, prose: 0 };
  const rest = asking.reduce(
    (left, element) => ({ text: left.text - of(element).text, prose: left.prose - of(element).prose }),
    of(body),
  );
  if (rest.prose > 0 || rest.text >= MORE) for (const element of asking) element.remove();
}

/** Returns the dialogs that ask for something, none within another one. */
function askingBoxes(body: HTMLElement, isAboutConsent: boolean): HTMLElement[] {
  const asking: HTMLElement[] = [];
  const over = Array.from(body.querySelectorAll<HTMLElement>(`${ROLE_OVER_PAGE}, [class], [id]`));
  for (const element of over) {
    if (asking.at(-1)?.contains(element)) continue;
    const isByRole = element.matches(ROLE_OVER_PAGE);
    const names = `${element.getAttribute('class') ?? ''} ${element.id}`;
    if (!isByRole && (isAboutConsent || !OVER_PAGE.test(names))) continue;
    // A line of a story is no box, and neither is what holds its heading.
    if (element.matches(LINES) || element.querySelector('article, main, [role="main"], h1')) continue;
    const text = (element.textContent ?? '').replace(/\s+/g, ' ').trim();
    const words = text.toLowerCase().match(CONSENT) ?? [];
    const asksConsent = new Set(words).size >= 2 && words.length * BESIDE_CONSENT >= text.length;
    if (asksConsent || (text.length < SHORT_BOX && NEWSLETTER.test(text))) asking.push(element);
  }
  return asking;
}

/**
 * Removes what a page hides, in id. Boxes stay that a reader opens: tabs, and what a heading folds. They stay too where they hold
 * most of the page, as pages do that a script shows. The depth of the body must be limited, and noise be gone.
 */
export function removeHidden(body: HTMLElement): void {
  const hidden = Array.from(body.querySelectorAll<HTMLElement>('[hidden], [style*="display" i]')).filter(
    isHidden,
  );
  if (hidden.length === 0) return;
  const known = measured(body);
  const proseOf = (node: Node) => known.get(node)?.prose ?? 0;
  const textOf = (node: Node) => known.get(node)?.text ?? 0;
  const all = new Set<Node | null>(hidden);
  const outer = hidden.filter((element) => {
    let above = element.parentNode;
    while (above !== null && !all.has(above)) above = above.parentNode;
    return above === null;
  });
  const sum = (of: (node: Node) => number) => outer.reduce((whole, element) => whole + of(element), 0);
  const [prose, text] = [proseOf(body) - sum(proseOf), textOf(body) - sum(textOf)];
  const controlled = controlledIn(body);
  for (const element of hidden) {
    const isMost = proseOf(element) > 0 ? proseOf(element) >= MOST * prose : textOf(element) >= MOST * text;
    const isOpened =
      controlled.has(element.id) || /^(?:tabpanel|region)$/.test(element.getAttribute('role') ?? '');
    if (!isOpened && (prose >= LONG_STORY || !isMost)) element.remove();
  }
}

/** Returns true for an element that a page does not show. */
export function isHidden(element: Element): boolean {
  const hidden = element.getAttribute('hidden');
  if (hidden !== null) return hidden.toLowerCase() !== 'until-found';
  return /(?:^|;)\s*display\s*:\s*none/i.test(element.getAttribute('style') ?? '');
}

/** Returns the ids of the boxes that headings, questions and tabs open. */
function controlledIn(body: HTMLElement): ReadonlySet<string> {
  const openers = Array.from(body.querySelectorAll('[aria-controls]')).filter((element) =>
    element.closest('h1, h2, h3, h4, h5, h6, dt, summary, [role="tab"], [role="heading"]'),
  );
  return new Set(openers.flatMap((element) => (element.getAttribute('aria-controls') ?? '').split(/\s+/)));
}
