/**
 * The inside of a character class, for expressions with the flag u or v: scripts in which a character says about as much as a
 * word elsewhere. But for Hangul, they are written without spaces between words.
 */
export const DENSE_SCRIPTS = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
