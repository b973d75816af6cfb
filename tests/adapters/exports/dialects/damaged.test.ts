import * as fc from 'fast-check';
import { SAMPLES } from './samples';
import type { MadeNote } from '../../../../src/adapters/exports/tree';
import { dialectOf, type Files, recognised, treeOf } from './support';

it.each(Object.entries(SAMPLES))('recognises the export of %s in a folder', async (program, { files }) => {
  const below = Object.entries(files).map(([place, content]) => [`a b/${place}`, content] as const);
  expect(Object.keys(await recognised(Object.fromEntries(below)))).toEqual([program]);
});

it('recognises none in a vault that tells of formats', async () => {
  const quotes = Object.values(SAMPLES).map(({ files }) => `\`\`\`json\n${JSON.stringify(files)}\n\`\`\``);
  expect(
    await recognised({ 'notes/formats.md': quotes.join('\n'), 'data/a.json': { list: quotes } }),
  ).toEqual({});
});

/** Converts an export in the folders where its undamaged form is. */
async function notesOf(program: string, files: Files, sample: Files): Promise<MadeNote[]> {
  const dialect = dialectOf(program);
  const tree = treeOf(files);
  const notes: MadeNote[] = [];
  for (const folder of await dialect.recognise(treeOf(sample)))
    for await (const made of dialect.convert(tree, folder)) if (made.kind === 'note') notes.push(made);
  return notes;
}

const isJson = (content: unknown): boolean => typeof content === 'object' && !(content instanceof Uint8Array);
const withJson = Object.entries(SAMPLES).filter(([, { files }]) => Object.values(files).some(isJson));

/** The paths of all values in JSON. */
function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, each]) => pathsIn(each, [...path, key]))];
}

/** Returns a copy of JSON with another value at a path; without the item there when it is undefined. */
function replaced(value: unknown, [key, ...rest]: readonly string[], other: unknown): unknown {
  if (key === undefined) return other;
  if (Array.isArray(value)) {
    const items = value.map((each: unknown, at) => (String(at) === key ? replaced(each, rest, other) : each));
    return items.filter((item) => item !== undefined);
  }
  return { ...(value as object), [key]: replaced((value as Record<string, unknown>)[key], rest, other) };
}

it.each(withJson)('loses no more than an item of %s that is damaged', async (program, { files }) => {
  const spots = Object.entries(files)
    .filter(([, content]) => isJson(content))
    .flatMap(([place, content]) => pathsIn(content).map((path) => ({ place, path })));
  const junk = fc.constantFrom<unknown>(
    null,
    7,
    -1e300,
    'x',
    true,
    [],
    {},
    [[[]]],
    [null, 1, 'a'],
    JSON.parse('{"__proto__": {"title": 1}, "constructor": "x"}'),
    { text: { text: [] }, children: 3, id: {}, name: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...spots), junk, async ({ place, path }, other) => {
      const damaged = { ...files, [place]: replaced(files[place], path, other) };
      const notes = await notesOf(program, damaged, files);
      const item = path.findIndex((key) => /^\d+$/.test(key));
      // Without a list around it, the damage is to the whole file.
      const without = { ...files, [place]: replaced(files[place], path.slice(0, item + 1), undefined) };
      const least =
        item < 0
          ? (await notesOf(program, files, files)).filter(({ from }) => !from.includes(place))
          : await notesOf(program, without, files);
      expect(notes.length).toBeGreaterThanOrEqual(least.length);
    }),
    { numRuns: 300 },
  );
});
