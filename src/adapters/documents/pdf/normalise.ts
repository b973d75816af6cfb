/**
 * Characters that PDF files use for the shape of a letter instead of the letter: ligatures, forms of Arabic letters, radicals
 * that stand for whole Chinese characters. Others stay, though Unicode has plainer ones for them: `x²` is not `x2`.
 */
const SHAPES = /[\u2e80-\u2fdf\uf900-\ufaff\ufb00-\ufdfb\ufe70-\ufefc\u{2f800}-\u{2fa1f}]+/gu;

/** Text of a PDF file as a person would have typed it. */
export function normalise(text: string): string {
  return text
    .replace(SHAPES, (shapes) => shapes.normalize('NFKC'))
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000\t]/g, ' ')
    .replace(/[\p{Cc}\u200b\ufeff\ufffe\uffff]/gu, '')
    .normalize('NFC');
}
