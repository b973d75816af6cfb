import { type ContentLine, contentLines, isBinary, partsOf, unescaped } from './content-lines';
import { CUT_WARNING, fenced, heading, joinWithin, linesToMarkdown, literal } from './markup';
import type { ReadText } from './protocol';

/** The properties that have a name for people; others keep theirs. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['NICKNAME', 'Nickname'],
  ['ORG', 'Organization'],
  ['TITLE', 'Title'],
  ['ROLE', 'Role'],
  ['TEL', 'Phone'],
  ['EMAIL', 'Email'],
  ['ADR', 'Address'],
  ['LABEL', 'Address label'],
  ['URL', 'Web'],
  ['IMPP', 'Chat'],
  ['BDAY', 'Birthday'],
  ['ANNIVERSARY', 'Anniversary'],
  ['GENDER', 'Gender'],
  ['CATEGORIES', 'Categories'],
  ['NOTE', 'Note'],
  ['GEO', 'Place'],
  ['TZ', 'Time zone'],
  ['LANG', 'Language'],
  ['RELATED', 'Related'],
  ['MEMBER', 'Member'],
  ['KIND', 'Kind'],
]);
/** Properties for programs: versions, identities and the order of names. */
const TECHNICAL =
  /^(?:BEGIN|END|VERSION|PRODID|UID|REV|SORT-STRING|CLIENTPIDMAP|XML|MAILER|PROFILE|X-ABLABEL|X-ABADR|X-ABSHOWAS|X-IMAGE.*)$/;
/** A longer name is shown without a comparison with the heading (UTF-16 units). */
const MAX_COMPARED = 1000;
/** Words of `TYPE` that say nothing to people. */
const USUAL_TYPES = /^(?:internet|voice|pref|x-.*)$/i;

/** Converts vCards (2.1, 3 and 4) to Markdown with a heading for each card. Pictures, sounds and keys are left out, with a warning. */
export function readCards(text: string): ReadText {
  const { cards, hasMore } = cardsOf(contentLines(text));
  if (cards.length === 0) {
    const { markdown, isCut } = fenced(text, 'text');
    const warnings = ['The file has no vCard (BEGIN:VCARD); its text was taken as it stands.'];
    return { markdown, warnings: isCut ? [...warnings, CUT_WARNING] : warnings };
  }
  const { text: markdown, isCut } = joinWithin(pieces(cards));
  const binary = cards.flat().filter(isBinary).length;
  const warnings =
    binary === 0
      ? []
      : [
          `${binary === 1 ? 'A picture, sound or key was' : `${binary} pictures, sounds or keys were`} left out; the kept original has ${binary === 1 ? 'it' : 'them'}.`,
        ];
  if (hasMore) warnings.push('The text outside of the cards was left out; the kept original has it.');
  if (isCut) warnings.push(CUT_WARNING);
  const [first = []] = cards;
  return { markdown, ...(cards.length === 1 && { title: nameOf(first) }), warnings };
}

type Card = readonly ContentLine[];

/** Returns the cards, those within another one included, and whether there is text outside of them. */
function cardsOf(lines: readonly ContentLine[]): { cards: Card[]; hasMore: boolean } {
  const cards: ContentLine[][] = [];
  const open: ContentLine[][] = [];
  let hasMore = false;
  for (const line of lines) {
    const isCard = line.value.trim().toUpperCase() === 'VCARD';
    if (line.name === 'BEGIN' && isCard) {
      const card: ContentLine[] = [];
      cards.push(card);
      open.push(card);
    } else if (line.name === 'END' && isCard) open.pop();
    else if (line.name === '' || open.length === 0) hasMore = true;
    else open.at(-1)?.push(line);
  }
  return { cards, hasMore };
}

function nameOf(card: Card): string {
  const of = (name: string) => card.find((line) => line.name === name)?.value ?? '';
  const [family = '', given = '', more = '', before = '', after = ''] = partsOf(of('N'), ';');
  const parts = [before, given, more, family, after].filter((part) => part !== '').join(' ');
  const names = [
    unescaped(of('FN')),
    parts,
    structured(of('ORG')),
    unescaped(of('EMAIL')),
    'Card without a name',
  ];
  return names.map(oneLine).find((name) => name !== '') ?? '';
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Returns the parts of a value, such as those of an address, as one line. */
function structured(value: string): string {
  return oneLine(
    partsOf(value, ';')
      .filter((part) => part !== '')
      .join(', '),
  );
}

function* pieces(cards: readonly Card[]): Generator<string> {
  for (const card of cards) {
    const name = nameOf(card);
    // The name of the only card is the title of the page.
    yield heading(cards.length === 1 ? 1 : 2, name);
    const isOld = card.some((line) => line.name === 'VERSION' && line.value.trim() === '2.1');
    const labels = new Map(
      card.flatMap((one) => (one.name === 'X-ABLABEL' ? [[one.group, one.value] as const] : [])),
    );
    const long: string[] = [];
    for (const line of card) {
      const text = shownText(line, isOld, name);
      if (text === '') continue;
      const label = literal(labelOf(line, labels));
      if (text.includes('\n')) long.push(`\n${label}:\n\n${[...linesToMarkdown(text.split('\n'))].join('')}`);
      else yield `- ${label}: ${literal(text)}\n`;
    }
    yield* long;
    yield '\n';
  }
}

/** Returns the text of a property; empty for what is not shown. */
function shownText(line: ContentLine, isOld: boolean, cardName: string): string {
  const { name, value } = line;
  if (TECHNICAL.test(name) || isBinary(line)) return '';
  if (name === 'ADR' || name === 'ORG') return structured(value);
  if (name === 'FN' || name === 'N') {
    const words = oneLine(name === 'N' ? partsOf(value, ';').join(' ') : unescaped(value));
    const isShown = words.length <= MAX_COMPARED && words.split(' ').every((word) => cardName.includes(word));
    return isShown ? '' : words;
  }
  const text = isOld ? value.replace(/\\([;,\\])/g, '$1') : unescaped(value);
  return text.trim().replace(/^(?:tel|mailto):(?=\S)/i, '');
}

function labelOf({ name, group, params }: ContentLine, labels: ReadonlyMap<string, string>): string {
  const label = name === 'FN' || name === 'N' ? 'Name' : (LABELS.get(name) ?? name);
  const own = group === '' ? undefined : labels.get(group);
  const types = (params.get('TYPE') ?? [])
    .flatMap((type) => type.split(','))
    .filter((type) => !USUAL_TYPES.test(type))
    .map((type) => type.toLowerCase());
  // Apple writes labels of its own as `_$!<HomePage>!$_`.
  const kind = own === undefined ? types.join(', ') : unescaped(own).replace(/^_\$!<|>!\$_$/g, '');
  return kind === '' ? label : `${label} (${kind})`;
}
