import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as turkish } from '@orama/stemmers/turkish';

/** A language other than English whose words have forms or compounds that are looked for. */
export interface Language {
  /** Words that nearly all its texts have, folded as terms are. */
  readonly words: readonly string[];
  /** Returns the stem of a folded word, as Snowball has it; null where only compounds are looked for. */
  readonly stem: ((word: string) => string) | null;
  /** True where words are joined to one: `Geburtstagsgeschenk`. */
  readonly hasCompounds?: true;
}

/** The sounds that join the words of a compound, the empty one first. */
export const LINKS = ['', 's', 'n', 'en', 'es', 'e', 'er'];

/** So many different ones of its words make a text one of the language. */
export const TELLING = 3;

export const LANGUAGES: readonly Language[] = [
  {
    words: 'der die und ist nicht das mit ein eine auf von zu den dem werden sich auch'.split(' '),
    stem: german,
    hasCompounds: true,
  },
  {
    words: 'het een niet zijn voor ook wordt naar bij aan deze om maar'.split(' '),
    stem: null,
    hasCompounds: true,
  },
  {
    words: 'och att det som ar inte den med till av ett om fran'.split(' '),
    stem: null,
    hasCompounds: true,
  },
  {
    words: 'og det som ikke til af med den jeg fra blev efter eller'.split(' '),
    stem: null,
    hasCompounds: true,
  },
  {
    words: 'og det som ikke til er av med den jeg fra ble etter eller'.split(' '),
    stem: null,
    hasCompounds: true,
  },
  { words: 'le la les des est une dans pour que qui sur avec pas du sont par'.split(' '), stem: french },
  { words: 'el los las una por que con para del se como es su al'.split(' '), stem: spanish },
  {
    words: 've bir bu ile icin olarak da de olan gibi daha cok ise'.split(' '),
    stem: (word) => turkish(harmonic(word)),
  },
  { words: 'и в не на что с по как это для из он от'.split(' '), stem: russian },
];

/**
 * Returns a folded Turkish word with vowels that are in harmony, as its endings are made: the stemmer goes by what folding has
 * taken away (`kitapları` for `kitaplari`).
 */
function harmonic(word: string): string {
  let isBack: boolean | null = null;
  return word.replace(/[aeiou]/g, (vowel) => {
    if (vowel === 'a' || vowel === 'e') isBack = vowel === 'a';
    else isBack ??= vowel !== 'i';
    return (isBack ? BACK : FRONT)[vowel] ?? vowel;
  });
}

const BACK: Readonly<Record<string, string>> = { i: 'ı' };
const FRONT: Readonly<Record<string, string>> = { o: 'ö', u: 'ü' };
