import { type Steps, Tally } from '../base/steps';
import type { DocumentText } from '../documents/ports';
import { fileName, folderOf } from '../vocabulary/paths';
import { changeLines, type Dialect, filterSteps, outsideCode, PLACES_PER_STEP, stemIn } from './dialect';

/** The text of a bundle: a folder with text, pictures and `info.json` (textbundle.org). */
const BUNDLED = /^(?:.*\/)?([^/]+)\.textbundle\/text\.(?:md|markdown|txt)$/i;
const BUNDLE_INFO = /\.textbundle\/info\.json$/i;
/** A tag of several words, closed by a second number sign. */
const WIDE_TAG = /(?<![^\s(])#([\p{L}\p{N}][^#\n`[\]]{0,80}?[^\s#`[\]])#(?![\p{L}\p{N}#])/gu;
const TAG = /(?:^|\s)#[^\s#]+/g;

/**
 * Returns true for a text with a line of tags one of which has several words, which only Bear writes; or for the description of a
 * bundle of Bear. Such a tag alone on its line may be a heading of an old style, so it counts below the title of a note only.
 */
export function isOfBear(place: string, markdown: string): boolean {
  if (BUNDLE_INFO.test(place)) return markdown.includes('shinyfrog.bear');
  let isTitled = false;
  return markdown
    .slice(0, 100_000)
    .split('\n')
    .some((line) => {
      isTitled ||= line.startsWith('# ');
      if (line.length > 1000 || !/^#[^\s#]/.test(line)) return false;
      const rest = line.replace(WIDE_TAG, (tag) => (tag.includes(' ') ? '\n' : tag));
      const hasTagsOnly = rest.includes('\n') && rest.replace(/\n/g, '').replace(TAG, '').trim() === '';
      return hasTagsOnly && (isTitled || rest.replace(/[ \t\r]+/g, '') !== '\n');
    });
}

/** Notes of Bear: Markdown with a folder of pictures for each note, or bundles. */
export class BearNotes implements Dialect {
  readonly leftOut = 'descriptions of text bundles';
  readonly told: string;
  readonly #titles: ReadonlySet<string>;

  private constructor(
    private readonly isBear: boolean,
    titles: readonly string[],
  ) {
    this.told = isBear ? 'The folder was read as an export of Bear.' : 'Text bundles were read as notes.';
    this.#titles = new Set(titles);
  }

  /**
   * Returns the notes of Bear, or the bundles of any program, that a folder has; null without one.
   * @param isBear true when `isOfBear` is true for one of its texts
   */
  static *in(places: readonly string[], isBear: boolean): Steps<BearNotes | null> {
    const bundles = yield* filterSteps(places, (place) => BUNDLED.test(place) || BUNDLE_INFO.test(place));
    if (!isBear) return bundles.length === 0 ? null : new BearNotes(false, []);
    const titles: string[] = [];
    const tally = new Tally(PLACES_PER_STEP);
    for (const place of places) {
      if (isNote(place)) titles.push(key(titleOf(place)));
      if (tally.isFull()) yield;
    }
    return new BearNotes(true, titles);
  }

  has(place: string): boolean {
    return BUNDLED.test(place) || (this.isBear && isNote(place));
  }

  isLeftOut(place: string): boolean {
    return BUNDLE_INFO.test(place);
  }

  isScanned(): boolean {
    return false;
  }

  *scan(): Steps<void> {
    // The names of the files say enough.
  }

  names(place: string): readonly string[] {
    return BUNDLED.test(place) ? [titleOf(place)] : [];
  }

  *translate(place: string, text: DocumentText): Steps<DocumentText> {
    const markdown = this.isBear
      ? yield* changeLines(text.markdown, (line) => outsideCode(line, (prose) => this.#prose(prose)))
      : text.markdown;
    const hasHeading = /^# /m.test(markdown.slice(0, 2000));
    return { ...text, markdown, ...(!hasHeading && { title: text.title ?? titleOf(place) }) };
  }

  #prose(prose: string): string {
    return prose
      .replace(WIDE_TAG, (all: string, words: string) => {
        const tag = words.trim().replace(/\s+/g, '-');
        return /^[\p{L}\p{M}\p{N}_/-]+$/u.test(tag) ? `#${tag}` : all;
      })
      .replace(/(?<![:\p{L}\p{N}])::(?=\S)([^:\n]*[^:\s])::(?![:\p{L}\p{N}])/gu, '==$1==')
      .replace(
        /(?<!!)\[\[([^[\]|/\n]+)\/([^[\]|\n]+)((?:\|[^[\]\n]*)?)\]\]/g,
        (all: string, note: string, heading: string, words: string) => {
          const isNote = this.#titles.has(key(note)) && !this.#titles.has(key(`${note}/${heading}`));
          return isNote ? `[[${note}#${heading}${words}]]` : all;
        },
      );
  }
}

function isNote(place: string): boolean {
  return /\.(?:md|markdown|txt)$/i.test(place);
}

/** Returns the title that the name of a note gives: for the text of a bundle, that of the bundle. */
function titleOf(place: string): string {
  return BUNDLED.test(place) ? stemIn(fileName(folderOf(place))) : stemIn(place);
}

function key(title: string): string {
  return title.normalize('NFC').toLowerCase().trim();
}
