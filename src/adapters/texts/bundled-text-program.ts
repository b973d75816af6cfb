declare const TEXT_PROGRAM: string | undefined;

/**
 * Returns the program that reads long texts, as text. The build defines it, as a bundle of one file cannot point at a second one.
 * As a script it defines `brainTexts.reply`.
 * @throws Error when this file was not built
 */
export function textProgram(): string {
  if (typeof TEXT_PROGRAM === 'undefined') throw new Error('The program that reads texts is missing.');
  return TEXT_PROGRAM;
}
