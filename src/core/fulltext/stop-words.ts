import lunr from 'lunr';
import { textIn, unitsOf } from './words';

/** The maximum length of a word in lunr's list. */
const MAX_LENGTH = 7;

/**
 * The first two letters, last letter and length of each word in lunr's list, which the tests check. Hardly any other word
 * shares these. Asking lunr needs a string, which takes longer than all else that a new word needs.
 */
const OUTLINES: ReadonlySet<number> = new Set(
  `
    aaa1 abe4 abt5 acs6 afr5 all3 alo4 alt6 amg5 amm2 and3 ann2 any3 are3 ass2 att2 bee2 bee7 ben4 but3 byy2
    can3 cat6 cod5 der4 did3 doo2 dos4 eir6 ele4 evr4 evy5 for3 frm4 get3 got3 had3 hae4 has3 hee2 her3 hes4
    him3 his3 hor7 how3 iff2 iii1 inn2 ino4 iss2 its3 itt2 jut4 let3 let5 lie4 liy6 may3 mee2 mit5 mot4 mut4
    myy2 ner7 noo2 nor3 not3 off2 off3 ofn5 onn2 ony4 orr2 otr5 our3 own3 rar6 sad4 sas4 say3 shd6 she3 sie5
    soe4 soo2 the3 the5 thm4 thn4 thr5 ths4 tht4 thy4 tis3 too2 too3 tws4 uss2 was3 was5 wee2 wee4 whe5 whh5
    whm4 whn4 who3 wht4 why3 wih4 wil4 wod5 yet3 yor4 you3
  `
    .trim()
    .split(/\s+/)
    .map((each) => outlineOf(unitsOf(each), 0, 3, Number(each.slice(3)))),
);

/** Returns true for a very frequent English word, by lunr's list. It counts only in a query without other words. */
export function isStopWord(term: string): boolean {
  return term.length <= MAX_LENGTH && lunr.stopWordFilter(new lunr.Token(term, {})) === undefined;
}

/** Does the same as `isStopWord` for the units between two offsets. */
export function isStopWordIn(units: Uint16Array, from: number, to: number): boolean {
  const length = to - from;
  if (length === 0 || length > MAX_LENGTH || !OUTLINES.has(outlineOf(units, from, to, length))) return false;
  return isStopWord(textIn(units, from, length));
}

function outlineOf(units: Uint16Array, from: number, to: number, length: number): number {
  const first = (units[from] ?? 0) & 0xff;
  const second = (units[Math.min(from + 1, to - 1)] ?? 0) & 0xff;
  const last = (units[to - 1] ?? 0) & 0xff;
  return ((((first << 8) | second) << 8) | last) * 8 + length;
}
