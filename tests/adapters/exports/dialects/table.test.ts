import * as fc from 'fast-check';
import { replaceTargets } from '../../../../src/adapters/exports/tree';
import { ALL, SAMPLES, type Kept } from './samples';
import { DIALECTS } from '../../../../src/adapters/exports/dialects';
import type { MadeNote } from '../../../../src/adapters/exports/tree';
import { converted, recognised, type Files } from './support';

const notesOf = async (program: string, files: Files) => (await converted(program, files)).notes;

/** How each thing shows in a note. */
const SHOWN: Readonly<Record<Kept, (note: MadeNote, files: Files) => boolean>> = {
  title: ({ title }) => title !== undefined && title !== '',
  created: ({ properties }) => /^\d{4}-\d\d-\d\d/.test(String(properties.created)),
  modified: ({ properties }) => /^\d{4}-\d\d-\d\d/.test(String(properties.modified)),
  tags: ({ properties, markdown }) =>
    (Array.isArray(properties.tags) && properties.tags.length > 0) || /(?<= )#\p{L}/u.test(markdown),
  links: ({ markdown, properties }) =>
    /\]\(https?:|<https?:|(?<!!)\[\[|(?:^|\s)https?:/m.test(markdown) || 'source' in properties,
  attachments: ({ markdown }, files) => {
    let found = false;
    replaceTargets(markdown, ({ kind, of }) => {
      if (kind === 'place' && of in files) found = true;
      return null;
    });
    return found;
  },
  tasks: ({ markdown }) => /^\s*- \[[ x]\] /m.test(markdown),
  tables: ({ markdown }) => /^\|(?: -+ \|)+$/m.test(markdown),
};

/** Programs whose own tests alone have samples. */
const ELSEWHERE = ['EPUB e-book'];

it('has a sample of every program', () => {
  const programs = DIALECTS.map(({ program }) => program);
  expect([...Object.keys(SAMPLES), ...ELSEWHERE].sort()).toEqual(programs.sort());
});

it.each(Object.entries(SAMPLES))('%s is recognised, and by no other dialect', async (program, { files }) => {
  expect(Object.keys(await recognised(files))).toEqual([program]);
});

it('keeps what each format has', async () => {
  const rows: string[] = [];
  const lost: string[] = [];
  for (const [program, { files, has }] of Object.entries(SAMPLES)) {
    const notes = await notesOf(program, files);
    const cells = ALL.map((kept) => {
      const isKept = notes.some((note) => SHOWN[kept](note, files));
      if (has.includes(kept) && !isKept) lost.push(`${program}: ${kept}`);
      return isKept ? 'kept' : has.includes(kept) ? 'LOST' : '–';
    });
    rows.push(`| ${[program, ...cells].join(' | ')} |`);
  }
  console.info(
    [`| Source | ${ALL.join(' | ')} |`, `|${' --- |'.repeat(ALL.length + 1)}`, ...rows].join('\n'),
  );
  expect(lost).toEqual([]);
});

it.each(Object.entries(SAMPLES))(
  '%s keeps the other notes when one is damaged',
  async (program, { files }) => {
    const whole = await notesOf(program, files);
    const places = Object.keys(files);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (place, at) => {
          const value = files[place];
          const text = typeof value === 'string' ? value : JSON.stringify(value);
          const cut = { ...files, [place]: text.slice(0, Math.floor(text.length * at)) };
          const notes = await notesOf(program, cut);
          const isApart = (note: MadeNote) => !note.from.includes(place);
          // A file that names people or folders may change the notes of others, and loses none.
          if (whole.length > 0 && Object.keys(await recognised(cut)).length > 0)
            expect(notes.length).toBeGreaterThanOrEqual(whole.filter(isApart).length);
        },
      ),
      { numRuns: 60 },
    );
  },
);

it.each(Object.entries(SAMPLES))('%s takes any value in the place of another', async (program, { files }) => {
  const json = Object.entries(files).filter(([, value]) => typeof value === 'object');
  if (json.length === 0) return;
  const strange = fc.constantFrom<unknown>(null, 7, -1e300, '', 'x', [], {}, [[]], [null], { id: {} }, true);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...json), fc.nat(), strange, async ([place, value], at, other) => {
      const notes = await notesOf(program, { ...files, [place]: withOther(value, at, other) });
      for (const one of notes) {
        expect(one.from.every((from) => from in files)).toBe(true);
        expect(one.markdown).not.toMatch(/\[object Object\]|undefined/);
      }
    }),
    { numRuns: 150 },
  );
});

/** Returns a copy of a value in which one part, drawn by a number, is another value. */
function withOther(value: unknown, drawn: number, other: unknown): unknown {
  const copy: unknown = structuredClone(value);
  const slots: (() => void)[] = [];
  const walk = (parent: unknown): void => {
    if (typeof parent !== 'object' || parent === null) return;
    for (const [key, child] of Object.entries(parent)) {
      slots.push(() => void Reflect.set(parent, key, other));
      walk(child);
    }
  };
  walk(copy);
  slots[drawn % Math.max(1, slots.length)]?.();
  return copy;
}
