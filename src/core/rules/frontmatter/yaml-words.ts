/**
 * What the YAML parser says, in words for people. They stand behind "line N: ", name what is wrong and what to look at.
 * Most of what people meet is a sign that means something to YAML at the beginning of a value, or a colon in it.
 */
const WORDS: readonly (readonly [said: RegExp, words: string])[] = [
  [/within a (?:double|single) quoted scalar/, 'a quotation mark is opened and not closed'],
  [/flow collection/, 'a list in brackets lacks a comma or its closing bracket'],
  [
    /explicit mapping pair|implicit mapping pair/,
    'a value that holds a colon needs quotation marks around it',
  ],
  [/block mapping entry/, 'text follows a closing quotation mark or bracket, or a line lacks its "key: "'],
  [/indentation of a block scalar|line break is expected/, 'the text of "|" or ">" begins on the next line'],
  [/indentation|tabulat|whitespace/, 'the line is indented differently from those around it'],
  [
    /alias/,
    'a value that starts with * stands for another value, which is not there; put quotation marks around it',
  ],
  [
    /document separator|anchor|tag|directive/i,
    'a value that starts with a sign such as * & ! @ % [ ] { } or - needs quotation marks around it',
  ],
  [/escape|hexadecimal/, 'a backslash between double quotation marks begins an escape that does not exist'],
  [/non-printable|JSON character|null byte|line breaks/, 'it holds a character that cannot be printed'],
];

/** The reason of a YAML parser in plain words; it never quotes the text. */
export function plainReason(said: string): string {
  const found = WORDS.find(([pattern]) => pattern.test(said));
  return found?.[1] ?? 'it is not readable YAML; check quotation marks, colons and indentation';
}
