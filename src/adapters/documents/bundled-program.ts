declare const DOCUMENT_PROGRAM: string | undefined;

/**
 * The program that reads documents in a thread of its own, as text. The build puts it here: inside one file, a second one
 * cannot be pointed at. As a script it defines `brainDocuments.serve`.
 * @throws Error when this file was not built
 */
export function documentProgram(): string {
  if (typeof DOCUMENT_PROGRAM === 'undefined')
    throw new Error('The program that reads documents is missing.');
  return DOCUMENT_PROGRAM;
}
