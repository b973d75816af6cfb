declare const DOCUMENT_PROGRAM: string | undefined;

/**
 * Returns the document program as text. The build defines it, as a bundle of one file cannot point at a second one. As a
 * script it defines `brainDocuments.serve`.
 * @throws Error when this file was not built
 */
export function documentProgram(): string {
  if (typeof DOCUMENT_PROGRAM === 'undefined')
    throw new Error('The program that reads documents is missing.');
  return DOCUMENT_PROGRAM;
}
