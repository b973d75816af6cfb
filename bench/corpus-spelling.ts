/** Frequent first: in English prose the share of a word falls with its place in this list. */
const ENGLISH =
  'the of and to a in is that for it as was with be on not he by are this at from or have an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years where much your way down should because each people those too good very make world still see own work long here between both life being under day never same another know while last us might great go since come against used'.split(
    ' ',
  );
const RUSSIAN =
  'и в не на я что он с это как по но они к у же вы за бы так от мы ты все из его о для до при если только или ещё уже когда'.split(
    ' ',
  );
const GERMAN =
  'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde'.split(
    ' ',
  );
const ARABIC = 'في من على إلى أن هذا التي الذي عن مع كان ما لا بعد كل قد هو هي أو ثم'.split(' ');
const JAPANESE = 'の は を に が で と も から まで より へ や です ます した する こと もの'.split(' ');
const CHINESE = '的 了 在 是 我 有 和 就 不 人 都 一 也 很 到 说 要 去 你 会'.split(' ');

const ONSETS = 'b c d f g h l m n p r s t v br cl dr gr pl pr st tr sh'.split(' ');
const NUCLEI = 'a e i o u ai ea io'.split(' ');
const CODAS = ['', '', 'l', 'm', 'n', 'r', 's', 't', 'ck', 'nd'];
/** Four ranks share a stem, as the forms of a word do. */
const ENDINGS = ['', 's', 'ing', 'ed'];

export interface Script {
  /** Share of the notes that are written in it. */
  readonly share: number;
  readonly gap: string;
  readonly stop: string;
  /** A frequent word that holds sentences together; `place` is even in 0 to 1. */
  functionWord(place: number): string;
  spell(rank: number): string;
}

const SCRIPTS: readonly Script[] = [
  spaced(0.8, ENGLISH, latin),
  spaced(0.05, GERMAN, (rank) =>
    latin(rank)
      .replace(/a(?=[lmn])/g, 'ä')
      .replace(/o(?=[rst])/g, 'ö'),
  ),
  spaced(0.05, RUSSIAN, (rank) => mapped(latin(rank), 'abcdefghiklmnoprstuv', 'абцдефгхиклмнопрстув')),
  spaced(0.02, ARABIC, (rank) => mapped(latin(rank), 'abcdefghiklmnoprstuv', 'ابجدهفغحيكلمنوبرستوق')),
  unspaced(0.04, JAPANESE),
  unspaced(0.04, CHINESE),
];

/** The script of a note; `place` is even in 0 to 1, and 0 is English. */
export function scriptOf(place: number): Script {
  let left = place;
  for (const script of SCRIPTS) {
    left -= script.share;
    if (left < 0) return script;
  }
  return spaced(1, ENGLISH, latin);
}

/** Words are asked for again and again, the frequent ones most of all. */
const remembered = new Map<Script, Map<number, string>>();
const MAX_REMEMBERED = 20_000;

/** The word of this rank, counted from 1. */
export function spelled(script: Script, rank: number): string {
  const words = remembered.get(script) ?? new Map<number, string>();
  if (words.size === 0) remembered.set(script, words);
  const known = words.get(rank);
  if (known !== undefined) return known;
  const word = script.spell(rank);
  if (words.size < MAX_REMEMBERED) words.set(rank, word);
  return word;
}

function spaced(share: number, words: readonly string[], spell: (rank: number) => string): Script {
  return { share, gap: ' ', stop: '.', functionWord: (place) => frequent(words, place), spell };
}

function unspaced(share: number, words: readonly string[]): Script {
  // Two of the 4,096 first ideographs: every rank below 16 million has its own pair.
  const sign = (code: number): string => String.fromCharCode(0x4e00 + (code & 4095));
  return {
    share,
    gap: '',
    stop: '。',
    functionWord: (place) => frequent(words, place),
    spell: (rank) => sign(Math.imul(rank, 1021)) + sign(rank >>> 8),
  };
}

function frequent(words: readonly string[], place: number): string {
  return words[Math.floor(words.length ** place) - 1] ?? '';
}

function latin(rank: number): string {
  let left = rank >>> 2;
  let word = '';
  do {
    word += ONSETS[left % ONSETS.length] ?? '';
    left = Math.floor(left / ONSETS.length);
    word += NUCLEI[left % NUCLEI.length] ?? '';
    left = Math.floor(left / NUCLEI.length);
    word += CODAS[left % CODAS.length] ?? '';
    left = Math.floor(left / CODAS.length);
  } while (left > 0 || word.length < 4);
  return word + (ENDINGS[rank & 3] ?? '');
}

function mapped(word: string, from: string, to: string): string {
  return Array.from(word, (letter) => to[from.indexOf(letter)] ?? letter).join('');
}
