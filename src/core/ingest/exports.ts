import { inSlices, type Pace, type Steps } from '../base/steps';
import type { DocumentText } from '../documents/ports';
import type { Dialect } from './dialect';
import { BearNotes, isOfBear } from './dialect-bear';
import { isOfLogseq, LogseqGraph } from './dialect-logseq';
import { NotionExport } from './dialect-notion';

/** A file of a folder with its text; null when it cannot be read. */
interface TextOfFolder {
  readonly place: string;
  readonly text: () => Promise<DocumentText | null>;
}

/** Returns the sentence for files that were left out. */
function leftOut(count: number, words: string): string {
  return `${count === 1 ? 'One file was' : `${count} files were`} left out: ${words}.`;
}

/** The files that are looked at to recognise a program by its texts. */
const MAX_SAMPLES = 200;
/** Files whose text may tell the program. */
const MAY_TELL = /\.(?:md|markdown)$|\.textbundle\/info\.json$/i;
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

  private constructor(dialects: readonly Dialect[], places: readonly string[]) {
    this.#dialects = dialects;
    const told = dialects.map((dialect) => {
      const left = places.filter((place) => dialect.isLeftOut(place)).length;
      return left === 0 ? dialect.told : `${dialect.told} ${leftOut(left, dialect.leftOut)}`;
    });
    const settings = places.filter((place) => SETTINGS.test(place)).length;
    const boards = places.filter((place) => BOARDS.test(place)).length;
    this.told = [
      ...told,
      ...(settings > 0
        ? [
            `The folder was read as an Obsidian vault. ${leftOut(settings, 'settings and deleted notes of Obsidian')}`,
          ]
        : []),
      ...(boards > 0
        ? [
            `${boards === 1 ? 'A canvas or base' : `${boards} canvases and bases`} of Obsidian cannot be read as notes.`,
          ]
        : []),
    ];
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
    const notion = NotionExport.in(places);
    const graph = LogseqGraph.in(all, []);
    const marked: string[] = [];
    let isBear = false;
    const open = files.filter(
      ({ place }) => MAY_TELL.test(place) && notion?.has(place) !== true && graph?.has(place) !== true,
    );
    for (const { place, text } of open.slice(0, MAX_SAMPLES)) {
      const markdown = (await text())?.markdown ?? '';
      if (await pace.run(() => isOfLogseq(place, markdown))) marked.push(place);
      else isBear ||= await pace.run(() => isOfBear(place, markdown));
    }
    const logseq = marked.length === 0 ? graph : LogseqGraph.in(all, marked);
    const dialects: Dialect[] = [logseq, notion, BearNotes.in(places, isBear)].filter(
      (each) => each !== null,
    );
    const exports = new Exports(dialects, all);
    for (const { place, text } of files) {
      const dialect = exports.#of(place);
      if (dialect?.isScanned(place) !== true || exports.isLeftOut(place)) continue;
      const read = await text();
      if (read !== null) await inSlices(dialect.scan(place, read), pace);
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
    return dialect === undefined ? text : yield* dialect.translate(place, text);
  }

  #of(place: string): Dialect | undefined {
    return this.#dialects.find((dialect) => dialect.has(place));
  }
}
