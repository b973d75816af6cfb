import { unzipSync } from 'fflate';
import { BrainError } from '../../core/base/errors';
import { decodeHtml } from './decode';
import { sensibleTitle } from './pdf-title';
import type { ReadText } from './protocol';
import { childAt, childrenOf, elementsBelow, textIn, type XmlElement, xmlTree } from './xml';

/** The bytes that all parts of a file may unpack to. Files of people stay far below. */
const MAX_UNPACKED = 256 * 1024 * 1024;

/** What a part of an Office file refers to. */
export interface Relation {
  /** The last word of its type, such as `image`. */
  readonly type: string;
  /** The name of another part, or an address outside of the file. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** The parts of an Office file, which is a zip archive of XML files. */
export class OfficePackage {
  readonly #parts = new Map<string, Uint8Array>();
  readonly #relations = new Map<string, ReadonlyMap<string, Relation>>();

  /**
   * @param wanted matches the names of the parts that are unpacked, in lower case
   * @throws BrainError `unsupported_type` for other files and those with a password, `too_large` for one that unpacks to too much
   */
  constructor(
    bytes: Uint8Array<ArrayBuffer>,
    private readonly name: string,
    wanted: RegExp,
  ) {
    if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) throw otherFile(bytes, name);
    let size = 0;
    const parts = unzipSync(bytes, {
      filter: (part) => {
        if (!wanted.test(keyOf(part.name))) return false;
        size += part.originalSize;
        // The library makes room for the size that the archive names, and unpacks no more.
        if (size > MAX_UNPACKED)
          throw new BrainError(
            'too_large',
            `${name} unpacks to more than ${MAX_UNPACKED / 1024 / 1024} MiB. Split it, or save its text by itself, and ingest that.`,
          );
        return true;
      },
    });
    for (const [part, content] of Object.entries(parts)) this.#parts.set(keyOf(part), content);
  }

  /** The names of the parts that were unpacked, in lower case. */
  get names(): readonly string[] {
    return [...this.#parts.keys()];
  }

  has(part: string): boolean {
    return this.#parts.has(keyOf(part));
  }

  /** Returns the text of a part; '' when it is missing. */
  text(part: string): string {
    const bytes = this.#parts.get(keyOf(part));
    return bytes === undefined || bytes.length === 0 ? '' : decodeHtml(bytes, this.name).text;
  }

  /** Returns a part as a tree; one without elements when it is missing. */
  tree(part: string): XmlElement {
    return xmlTree(this.text(part));
  }

  /** Returns what a part refers to, by the ids that it uses. */
  relations(part: string): ReadonlyMap<string, Relation> {
    const known = this.#relations.get(part);
    if (known !== undefined) return known;
    const folder = part.slice(0, part.lastIndexOf('/') + 1);
    const list = childAt(this.tree(`${folder}_rels/${part.slice(folder.length)}.rels`), 'Relationships');
    const relations = new Map(
      childrenOf(list).map(({ attributes: { Id = '', Type = '', Target = '', TargetMode } }) => {
        const isExternal = TargetMode === 'External';
        const target = isExternal ? Target : resolved(folder, Target);
        return [Id, { type: Type.slice(Type.lastIndexOf('/') + 1), target, isExternal }];
      }),
    );
    this.#relations.set(part, relations);
    return relations;
  }

  /** Returns the name of the first part of a type that another one refers to; '' when there is none that was unpacked. */
  related(part: string, type: string): string {
    for (const relation of this.relations(part).values())
      if (relation.type === type && this.has(relation.target)) return relation.target;
    return '';
  }
}

/** Names of parts are equal without case. */
function keyOf(part: string): string {
  return part.replace(/\\/g, '/').replace(/^\/+/, '').toLowerCase();
}

function resolved(folder: string, target: string): string {
  const names: string[] = [];
  for (const name of (target.startsWith('/') ? target : folder + target).split('/'))
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  return names.join('/');
}

function otherFile(bytes: Uint8Array, name: string): BrainError {
  const isCompound = bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0;
  return new BrainError(
    'unsupported_type',
    isCompound
      ? `${name} has a password or the form of Office before 2007. Open it, save it without a password in the present form, and ingest that.`
      : `${name} is no Office file, whatever its name says. Open it, save it again, and ingest that.`,
  );
}

/** What an Office file says of itself. */
export interface OfficeFacts {
  readonly title: string;
  readonly properties: NonNullable<ReadText['properties']>;
}

/** The length of a property (UTF-16 units). */
const MAX_PROPERTY = 300;

/** Reads title, author and dates of an OOXML file. */
export function officeFacts(file: OfficePackage): OfficeFacts {
  const core = childrenOf(file.tree('docProps/core.xml'))[0];
  const of = (name: string) => textIn(childAt(core, name));
  return factsFrom(of('dc:title'), of('dc:creator'), of('dcterms:created'), of('dcterms:modified'));
}

/** Programs that give their own name as the author. */
const PROGRAMS = /^(?:python-(?:docx|pptx)|openpyxl|apache poi|microsoft (?:office )?user|unknown)$/i;
/** The dates of the templates of these programs. */
const TEMPLATES = /^2013-(?:12-23T23:15:00|01-27T09:14:16)Z$/;

/** Returns facts whose values are usable. Dates that are none, and what programs fill in, are left out. */
function factsFrom(title: string, author: string, created: string, modified: string): OfficeFacts {
  const by = PROGRAMS.test(oneLine(author)) ? '' : oneLine(author);
  const [from, last] = [created, modified].map((date) => (TEMPLATES.test(date.trim()) ? '' : dateOf(date)));
  return {
    title: oneLine(title),
    properties: {
      ...(by !== '' && { author: by }),
      ...(from && { created: from }),
      ...(last && { modified: last }),
    },
  };
}

function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_PROPERTY);
}

/** Returns a date in RFC 3339. A time without a zone is that of the place where it was written, and stays without one. */
function dateOf(text: string): string {
  const [, date = '', time = '', zone = ''] =
    /^\s*(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?)?\s*$/.exec(text) ?? [];
  return time === '' ? date : `${date}T${time}${zone}`;
}

/** Returns the parts of `ReadText` that come from facts. */
export function withFacts(
  { title, properties }: OfficeFacts,
  name: string,
  firstHeading: string | null,
): Pick<ReadText, 'title' | 'properties'> {
  const own = sensibleTitle(title, name, firstHeading, { author: properties.author ?? '' });
  return {
    ...(own !== null && own !== '' && { title: own }),
    ...(Object.keys(properties).length > 0 && { properties }),
  };
}

/** Yields the text of each paragraph of DrawingML below an element; those of a fallback are the same again. */
export function* drawnParagraphs(element: XmlElement): Generator<string> {
  for (const paragraph of elementsBelow(element, 'a:p', 'mc:Fallback')) {
    if (paragraph.name !== 'a:p') continue;
    const text = [...elementsBelow(paragraph, 'a:t')].map(textIn).join('').trim();
    if (text !== '') yield text;
  }
}
