/** Titles that programs write by themselves. */
const MADE_UP =
  /^(?:untitled|unbenannt|ohne titel|sans titre|sin t[ií]tulo|senza titolo|(?:document|dokument)\s*\d*$|microsoft (?:word|powerpoint|excel)|powerpoint presentation|(?:presentation|präsentation|présentation|layout|folie|book|workbook|mappe)\s*\d+$|slide \d+|page \d+|about:blank|https?:)|\.(?:docx?|pptx?|xlsx?|odt|tex|dvi|indd|pdf|html?|qxd)$/i;

const MAX_TITLE = 200;

/** Matches what may be the name of a person: two to four words with a capital letter. */
const PERSON = /^(?:\p{Lu}[\p{L}\p{M}.'’-]*\s+){1,3}\p{Lu}[\p{L}\p{M}'’-]+$/u;

/** What a document says beside its title. */
interface TitleContext {
  /** The author in the metadata. */
  readonly author?: string;
  /** The lines of the first page. */
  readonly firstLines?: readonly string[];
}

/**
 * Returns the title of a document: that of its metadata if a person may have written it, else the first heading, else null. An
 * author in the field of the title is none: one that the field of the author has too, or a name below the first heading.
 */
export function sensibleTitle(
  metadata: string,
  fileName: string,
  firstHeading: string | null,
  { author = '', firstLines = [] }: TitleContext = {},
): string | null {
  const title = oneSpaced(metadata);
  if (isAuthor(title, oneSpaced(author), firstHeading, firstLines.map(oneSpaced))) return firstHeading;
  const isFileName = title.toLowerCase() === fileName.replace(/\.[^.]*$/, '').toLowerCase();
  // Names of files have underscores in place of spaces.
  const isName = isFileName || /^(?:[^\s_]+(?:_[^\s_]+)+|(?:file:|[a-z]:\\|\/).*)$/iu.test(title);
  const isMeant = /\p{L}{2}/u.test(title) && title.length <= MAX_TITLE && !MADE_UP.test(title) && !isName;
  return isMeant ? title : firstHeading;
}

function oneSpaced(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}

function isAuthor(
  title: string,
  author: string,
  firstHeading: string | null,
  lines: readonly string[],
): boolean {
  if (title === '' || firstHeading === null) return false;
  if (title.toLowerCase() === author.toLowerCase() || /^\S+@\S+\.\S+$/.test(title)) return true;
  const heading = oneSpaced(firstHeading);
  if (!PERSON.test(title) || heading.toLowerCase().includes(title.toLowerCase())) return false;
  const at = lines.findIndex((line) => line === heading || heading.startsWith(line));
  return at >= 0 && lines.slice(at + 1).some((line) => line === title || line === `by ${title}`);
}
