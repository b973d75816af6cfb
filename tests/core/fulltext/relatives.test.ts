import { type Doc, indexOf } from './index-model';

const GERMAN = 'Das ist nicht von der Stadt, und die Leute sind auf dem Weg mit';
const TURKISH = 've bu bir olarak icin daha';
const RUSSIAN = 'и в не на что это для';

function found(texts: Readonly<Record<string, string>>, query: string, sees?: (path: string) => boolean) {
  const docs = Object.entries(texts).map(([path, body]): Doc => ({ path, title: path, body }));
  const index = indexOf(docs);
  return (sees === undefined ? index : index.seenBy(sees))
    .search(query, { limit: 9 })
    .map(({ item }) => item.path)
    .sort();
}

describe('the forms of a word in other languages', () => {
  it.each([
    ['Haus ', `${GERMAN} Häuser`],
    ['Häusern ', `${GERMAN} Haus`],
    ['üniversitenin ', `${TURKISH} üniversiteye`],
    ['книгами ', `${RUSSIAN} книга`],
    ['canciones ', 'el canto de las aves y los ríos con una canción por la tarde'],
  ])('%j is found in: %s', (query, text) => {
    expect(found({ wanted: text, other: 'lorem ipsum' }, query)).toEqual(['wanted']);
  });

  it('are looked for in texts of the language alone', () => {
    const texts = { english: 'we saw the hauser of the game', german: `${GERMAN} Haus` };
    expect(found(texts, 'Haus ')).toEqual(['german']);
    // A word that only English texts have is no German one.
    expect(found({ english: 'the hausers', german: `${GERMAN} Haus` }, 'hausers ')).toEqual(['english']);
  });

  it('are not told by texts that a reader may not see', () => {
    const texts = { seen: `${GERMAN} Haus`, hidden: `${GERMAN} Häuser`, plain: 'the haus' };
    expect(found(texts, 'Häuser ', (path) => path !== 'hidden')).toEqual(['plain', 'seen']);
    expect(found(texts, 'Häuser ', (path) => path === 'plain')).toEqual([]);
  });

  it('follow every change', () => {
    const index = indexOf([{ path: 'a', title: 'a', body: `${GERMAN} Haus` }]);
    const paths = () => index.search('Häuser ', { limit: 9 }).map(({ item }) => item.path);
    expect(paths()).toEqual(['a']);
    index.put({ path: 'a', title: 'a', body: 'Haus' }, index.prepare([{ kind: 'text', text: 'the Haus' }]));
    expect(paths()).toEqual([]);
  });
});

describe('the compounds of a word', () => {
  const DUTCH = 'het huis is niet zo groot voor een gezin';
  it.each([
    ['Geschenk ', `${GERMAN} Geburtstagsgeschenk`, `${GERMAN} Geburtstag`],
    ['Geschenke ', `${GERMAN} Geburtstagsgeschenk`, `${GERMAN} Geschenk und Geburtstag`],
    ['Geburtstag ', `${GERMAN} Geburtstagsgeschenke`, `${GERMAN} Geschenke`],
    ['Schrank ', `${GERMAN} Küchenschrank`, `${GERMAN} Küche`],
    ['verzekering ', `${DUTCH} ziektekostenverzekering`, `${DUTCH} ziektekosten`],
  ])('%j finds %s', (query, text, part) => {
    expect(found({ wanted: text, part }, query)).toContain('wanted');
  });

  it('are no words of another kind', () => {
    // What is left is no word, or one that means nothing.
    expect(found({ a: `${GERMAN} xqgeschenk` }, 'Geschenk ')).toEqual([]);
    expect(found({ a: `${GERMAN} mitgeschenk` }, 'Geschenk ')).toEqual([]);
    // English joins no words.
    expect(found({ a: 'a birthdaypresent', b: 'the birthday' }, 'present ')).toEqual([]);
    // So short a word is a part of too many.
    expect(found({ a: `${GERMAN} Dienstrad`, b: `${GERMAN} Dienst` }, 'Rad ')).toEqual([]);
  });

  it('rank below the word and its forms, and are no misspellings', () => {
    const docs = {
      a: `${GERMAN} Geburtstagsgeschenk`,
      b: `${GERMAN} Geschenke`,
      c: `${GERMAN} Geschenk`,
      d: `${GERMAN} Geburtstag`,
    };
    const index = indexOf(Object.entries(docs).map(([path, body]): Doc => ({ path, title: path, body })));
    const paths = index.search('Geschenk ', { limit: 9 }).map(({ item }) => item.path);
    expect(paths).toEqual(['c', 'b', 'a']);
  });

  it('are those of notes that a reader may see', () => {
    const texts = { a: `${GERMAN} Geburtstagsgeschenk`, b: `${GERMAN} Geburtstag` };
    expect(found(texts, 'Geschenk ', (path) => path !== 'b')).toEqual([]);
  });
});
