import lunr from 'lunr';
import { textIn, unitsOf } from './unit-text';

/** No word that lunr lists is longer. */
const LONGEST = 7;

/**
 * First letter, last letter and length of each word that lunr lists, as the tests make sure: hardly any other word has these,
 * and to ask lunr a string has to be made, which takes longer than all else that is done for a new word.
 */
const OUTLINES: ReadonlySet<number> = new Set(
  `
    aa1 ad3 ae3 ae4 ag5 al3 am2 an2 ao4 ar5 as2 as6 at2 at5 at6 ay3 be2 be7 bn4 bt3 by2 cd5 cn3 ct6 dd3 do2
    dr4 ds4 ee4 er4 er6 ey5 fm4 fr3 gt3 hd3 he2 he4 hm3 hr3 hr7 hs3 hs4 hw3 if2 ii1 in2 io4 is2 is3 it2 jt4
    le4 lt3 lt5 ly6 me2 mt4 mt5 my2 my3 no2 nr3 nr7 nt3 of2 of3 on2 on3 on5 or2 or3 or5 oy4 rr6 sd4 sd6 se3
    se4 se5 so2 ss4 sy3 te3 te5 tm4 tn4 to2 to3 tr5 ts3 ts4 tt4 ty4 us2 wd5 we2 we4 we5 wh4 wh5 wl4 wm4 wn4
    wo3 ws3 ws5 wt4 wy3 yr4 yt3 yu3
  `
    .trim()
    .split(/\s+/)
    .map((each) => outlineOf(unitsOf(each), 0, 2, Number(each.slice(2)))),
);

/** True for a very frequent English word, by lunr's list, which counts only in a query that has no others. */
export function isStopWord(term: string): boolean {
  return term.length <= LONGEST && lunr.stopWordFilter(new lunr.Token(term, {})) === undefined;
}

/** The same of units between two places. */
export function isStopWordIn(units: Uint16Array, from: number, to: number): boolean {
  const length = to - from;
  if (length === 0 || length > LONGEST || !OUTLINES.has(outlineOf(units, from, to, length))) return false;
  return isStopWord(textIn(units, from, length));
}

function outlineOf(units: Uint16Array, from: number, to: number, length: number): number {
  return ((((units[from] ?? 0) & 0xff) << 8) | ((units[to - 1] ?? 0) & 0xff)) * 8 + length;
}
