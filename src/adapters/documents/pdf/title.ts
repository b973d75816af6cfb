/** What programs write into the title of a file by themselves. */
const MADE_UP =
  /^(?:untitled|document|microsoft (?:word|powerpoint|excel)|powerpoint presentation|slide \d+|page \d+|about:blank|https?:)|\.(?:docx?|pptx?|xlsx?|odt|tex|dvi|indd|pdf|html?|qxd)$/i;
const MAX_TITLE = 200;

/** The title of a document: what its metadata says if a person can have meant it, else its first heading, else none. */
export function sensibleTitle(
  metadata: string,
  fileName: string,
  firstHeading: string | null,
): string | null {
  const said = metadata.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  const isFileName = said.toLowerCase() === fileName.replace(/\.[^.]*$/, '').toLowerCase();
  const isMeant = /\p{L}{2}/u.test(said) && said.length <= MAX_TITLE && !MADE_UP.test(said) && !isFileName;
  return isMeant ? said : firstHeading;
}
