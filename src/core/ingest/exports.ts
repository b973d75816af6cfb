import { inSlices, type Pace, type Steps } from '../base/steps';
import type { DocumentText } from '../documents/ports';
import { type Dialect, filterSteps } from './dialect';
import { BearNotes, isOfBear } from './dialect-bear';
import { isOfLogseq, LogseqGraph } from './dialect-logseq';
import { NotionExport } from './dialect-notion';
import { withMarkdownLinks } from './html-links';

/** A file of a folder with its text; null when it cannot be read. */
interface TextOfFolder {
  readonly place: string;
  readonly text: () => Promise<DocumentText | null>;
}

/** Returns the sentence for files that were left out. */
function leftOut(count: number, words: string): string {
  return `${count === 1 ? 'One file was' : `${count} files were`} left out: ${words}.`;
}

/** Returns what the summary says of the files of a folder. */
function* toldSteps(dialects: readonly Dialect[], places: readonly string[]): Steps<string[]> {
  const told: string[] = [];
  for (const dialect of dialects) {
    const left = yield* filterSteps(places, (place) => dialect.isLeftOut(place));
    told.push(left.length === 0 ? dialect.told : `${dialect.told} ${leftOut(left.length, dialect.leftOut)}`);
  }
  const settings = yield* filterSteps(places, (place) => SETTINGS.test(place));
  if (settings.length > 0) {
    const words = leftOut(settings.length, 'settings and deleted notes of Obsidian');
    told.push(`The folder was read as an Obsidian vault. ${words}`);
  }
  const boards = yield* filterSteps(places, (place) => BOARDS.test(place));
  if (boards.length > 0) {
    const which = boards.length === 1 ? 'A canvas or base' : `${boards.length} canvases and bases`;
    told.push(`${which} of Obsidian cannot be read as notes.`);
  }
  return told;
}

/** The files that are looked at to recognise a program by its texts. */
const MAX_SAMPLES = 200;
/** Files whose text may tell the program. */
const MAY_TELL = /\.(?:md|markdown)$|\.textbundle\/info\.json$/i;
const MARKDOWN = /\.(?:md|markdown)$/i;
const SETTINGS = /(?:^|\/)\.(?:obsidian|trash)\//i;
const BOARDS = /\.(?:canvas|base)$/i;

/**
 * The programs from which the notes of a folder come, recognised by the names of its files and by marks in their texts. Each file
 * belongs to at most one of them.
 */
export class Exports {
  readonly #dialects: readonly Dialect[];
  /** Sentences for the summary of the job. */
  readonly told: readonly string[];

  private constructor(dialects: readonly Dialect[], told: readonly string[]) {
    this.#dialects = dialects;
    this.told = told;
  }

  /**
   * Recognises the programs from which a folder comes, and reads the files that say what others of them mean.
   * @param files the files that are read
   * @param others the places of files that are not read
   */
  static async in(
    files: readonly TextOfFolder[],
    others: readonly string[],
    pace: Pick<Pace, 'run'>,
  ): Promise<Exports> {
    const places = files.map(({ place }) => place);
    const all = [...places, ...others];
    const notion = await inSlices(NotionExport.in(places), pace);
    const graph = await inSlices(LogseqGraph.in(all, []), pace);
    const marked: string[] = [];
    let isBear = false;
    const mayTell = ({ place }: TextOfFolder): boolean =>
      MAY_TELL.test(place) && notion?.has(place) !== true && graph?.has(place) !== true;
    const open = await inSlices(filterSteps(files, mayTell), pace);
    for (const { place, text } of open.slice(0, MAX_SAMPLES)) {
      const markdown = (await text())?.markdown ?? '';
      if (await pace.run(() => isOfLogseq(place, markdown))) marked.push(place);
      else isBear ||= await pace.run(() => isOfBear(place, markdown));
    }
    const logseq = marked.length === 0 ? graph : await inSlices(LogseqGraph.in(all, marked), pace);
    const bear = await inSlices(BearNotes.in(places, isBear), pace);
    const dialects: Dialect[] = [notion, logseq, bear].filter((each) => each !== null);
    const exports = new Exports(dialects, await inSlices(toldSteps(dialects, all), pace));
    const isScanned = ({ place }: TextOfFolder): boolean =>
      exports.#of(place)?.isScanned(place) === true && !exports.isLeftOut(place);
    for (const { place, text } of await inSlices(filterSteps(files, isScanned), pace)) {
      const read = await text();
      if (read !== null) await inSlices(exports.#scan(place, read), pace);
    }
    return exports;
  }

  /** Returns true for a file that is no note. */
  isLeftOut(place: string): boolean {
    return SETTINGS.test(place) || this.#dialects.some((dialect) => dialect.isLeftOut(place));
  }

  /** Returns what links of the folder call a file, beside its path, name and title. */
  names(place: string): readonly string[] {
    return this.#of(place)?.names(place) ?? [];
  }

  /** Returns a text of the folder as a note of this service. */
  *translate(place: string, text: DocumentText): Steps<DocumentText> {
    const dialect = this.#of(place);
    const note = dialect === undefined ? text : yield* dialect.translate(place, text);
    if (!MARKDOWN.test(place)) return note;
    return { ...note, markdown: yield* withMarkdownLinks(note.markdown) };
  }

  *#scan(place: string, text: DocumentText): Steps<void> {
    yield* this.#of(place)?.scan(place, text) ?? [];
  }

  #of(place: string): Dialect | undefined {
    return this.#dialects.find((dialect) => dialect.has(place));
  }
}
