import type { Places } from './places';
import { type Made, type MadeNote, replaceTargets } from './tree';

/** A note as a file. */
interface WrittenNote {
  readonly place: string;
  readonly from: string;
  readonly program: string;
  readonly text: string;
  readonly modified: number | undefined;
  readonly warnings: readonly string[];
}

/** Collects what dialects make, and writes it as files once all of it is known. */
export class Notes {
  readonly #notes: { readonly note: MadeNote; readonly program: string; readonly place: string }[] = [];
  readonly #byId = new Map<string, string>();
  readonly #consumed = new Set<string>();
  readonly #placed = new Map<string, string>();
  readonly #warnings = new Map<string, readonly string[]>();
  readonly left: { readonly from: string; readonly why: string }[] = [];

  constructor(private readonly places: Places) {}

  /**
   * Takes what a dialect makes. An error ends its dialect alone: the files that it has not come to stay as they are. Resolves with what
   * went wrong; null when all went well.
   */
  async take(program: string, made: AsyncIterable<Made>): Promise<string | null> {
    try {
      for await (const each of made) this.#add(program, each);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #add(program: string, each: Made): void {
    if (each.kind === 'note') {
      const place = this.places.of(`${each.place}.md`);
      this.#notes.push({ note: each, program, place });
      const key = `${program}\n${each.id ?? ''}`;
      if (each.id !== undefined && !this.#byId.has(key)) this.#byId.set(key, place);
      for (const from of each.from) this.#consumed.add(from);
    } else if (each.kind === 'file') {
      if (each.place !== undefined) this.#placed.set(each.from, each.place);
      if (each.warnings !== undefined) this.#warnings.set(each.from, each.warnings);
    } else {
      this.left.push(each);
      if (each.part === undefined) this.#consumed.add(each.from);
    }
  }

  /** Returns true for a file of which a note was made, or that is left out. */
  consumes(place: string): boolean {
    return this.#consumed.has(place);
  }

  /** Returns the place of a file that stays. */
  placeOf(place: string): string {
    const known = this.#final.get(place);
    if (known !== undefined) return known;
    const made = this.places.of(this.#placed.get(place) ?? place);
    this.#final.set(place, made);
    return made;
  }
  readonly #final = new Map<string, string>();

  warningsOf(place: string): readonly string[] {
    return this.#warnings.get(place) ?? [];
  }

  /** Returns the notes as files. Call it when every file has its place. */
  *written(): Iterable<WrittenNote> {
    for (const { note, program, place } of this.#notes) {
      const markdown = replaceTargets(note.markdown, ({ kind, of, part, words, isEmbed }) => {
        const target = kind === 'id' ? this.#byId.get(`${program}\n${of}`) : this.#final.get(of);
        const shown = words !== '' ? words : kind === 'place' ? nameOf(of) : '';
        if (target === undefined) return shown === '' ? of : shown;
        const path = target.replace(/\.md$/, '');
        const name = words === '' ? nameOf(path) : words;
        // A name without folders shows itself.
        const bar = isEmbed || (name === path && part === '') ? '' : `|${name}`;
        return `${isEmbed ? '!' : ''}[[${path}${part === '' ? '' : `#${part}`}${bar}]]`;
      });
      const values = {
        ...(note.title !== undefined &&
          note.title !== nameOf(place).replace(/\.md$/, '') && { title: note.title }),
        ...note.properties,
      };
      const [from = ''] = note.from;
      const modified = Date.parse(String(note.properties.modified ?? ''));
      yield {
        place,
        from,
        program,
        text: frontMatter(values) + markdown.replace(/\s*$/, '\n'),
        modified: Number.isNaN(modified) ? undefined : modified,
        warnings: note.warnings ?? [],
      };
    }
  }
}

function nameOf(place: string): string {
  return place.slice(place.lastIndexOf('/') + 1);
}

/** Returns values as front matter: YAML whose texts are JSON strings, which YAML 1.2 reads. */
function frontMatter(values: MadeNote['properties']): string {
  const lines = Object.entries(values).flatMap(([key, value]) => {
    if (value === '' || (Array.isArray(value) && value.length === 0)) return [];
    const shown = Array.isArray(value)
      ? `[${value.map((each) => JSON.stringify(each)).join(', ')}]`
      : scalar(value);
    return [`${/^[\p{L}_][\p{L}\p{N} _-]*$/u.test(key) ? key : JSON.stringify(key)}: ${shown}`];
  });
  return lines.length === 0 ? '' : `---\n${lines.join('\n')}\n---\n`;
}

/** Times and plain words stand as they are. */
function scalar(value: unknown): string {
  const text = String(value);
  const isPlain = typeof value !== 'string' || /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text);
  return isPlain ? text : JSON.stringify(text);
}
