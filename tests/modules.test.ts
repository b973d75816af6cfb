import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { preProcessFile } from 'typescript';

/**
 * A folder with code is a module. `src/modules.json` says of each what it knows, which modules it uses, which of its files
 * others may import (its face), which packages it needs, and how many lines of code it may have. Type-only imports count:
 * knowing a type is knowing its module.
 */
interface Module {
  readonly knows: string;
  readonly uses: readonly string[];
  readonly face: readonly string[];
  readonly packages: readonly string[];
  readonly lines: number;
}

// Our own file; what is wrong in it fails the checks below.
const MODULES = JSON.parse(readFileSync('src/modules.json', 'utf8')) as Readonly<Record<string, Module>>;

const files = [
  'main.ts',
  ...readdirSync('src', { recursive: true, encoding: 'utf8' }).map((path) => join('src', path)),
].filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'));
const known = new Set(files);

interface Import {
  readonly from: string;
  /** A file of ours, or the name of a package. */
  readonly to: string;
  readonly ours: boolean;
}

function importsOf(from: string, text = readFileSync(from, 'utf8')): Import[] {
  // Type-only and dynamic imports, and what is exported from elsewhere, are among them.
  return preProcessFile(text).importedFiles.map(({ fileName: to }) => {
    if (!to.startsWith('.')) return { from, to: packageOf(to), ours: false };
    const base = posix.normalize(posix.join(dirname(from), to));
    return {
      from,
      to: [`${base}.ts`, `${base}.tsx`].find((path) => known.has(path)) ?? base,
      ours: true,
    };
  });
}

function packageOf(name: string): string {
  if (name.startsWith('node:')) return name;
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The module of a file; `main.ts` is one by itself, which may use them all. */
function moduleOf(path: string): string {
  return path === 'main.ts' ? 'main' : posix.dirname(path).slice('src/'.length);
}

const nameOf = (path: string): string => posix.basename(path).replace(/\.tsx?$/, '');
const graph = new Map(files.map((path) => [path, importsOf(path)] as const));
const imports = [...graph.values()].flat();
const across = imports.filter(({ from, to, ours }) => ours && moduleOf(from) !== moduleOf(to));
const distinct = (values: readonly string[]): string[] => [...new Set(values)].sort();

/** The cycles of a graph, each as a path from a node back to itself. */
function cyclesOf(nodes: Iterable<string>, next: (node: string) => readonly string[]): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    const at = trail.indexOf(node);
    if (at >= 0) cycles.push([...trail.slice(at), node].join(' -> '));
    if (at >= 0 || done.has(node)) return;
    for (const each of next(node)) visit(each, [...trail, node]);
    done.add(node);
  };
  for (const node of nodes) visit(node, []);
  return cycles;
}

it('names every folder with code, and no other', () => {
  expect(distinct(files.map(moduleOf))).toEqual(distinct([...Object.keys(MODULES), 'main']));
});

it('lets a module use what it says, and lists nothing that is not used', () => {
  const used = Object.fromEntries(Object.keys(MODULES).map((name) => [name, [] as string[]]));
  for (const { from, to } of across) used[moduleOf(from)]?.push(moduleOf(to));
  const said = Object.entries(MODULES).map(([name, { uses }]) => [name, uses]);
  expect(Object.fromEntries(said)).toEqual(
    Object.fromEntries(Object.entries(used).map(([name, uses]) => [name, distinct(uses)])),
  );
});

it('lets others import the face of a module, and lists nothing that nobody imports', () => {
  const seen = Object.fromEntries(Object.keys(MODULES).map((name) => [name, [] as string[]]));
  for (const { to } of across) seen[moduleOf(to)]?.push(nameOf(to));
  const said = Object.entries(MODULES).map(([name, { face }]) => [name, face]);
  expect(Object.fromEntries(said)).toEqual(
    Object.fromEntries(Object.entries(seen).map(([name, face]) => [name, distinct(face)])),
  );
});

it('lets a module need the packages that it says', () => {
  const needed = Object.fromEntries(Object.keys(MODULES).map((name) => [name, [] as string[]]));
  for (const { from, to, ours } of imports) if (!ours) needed[moduleOf(from)]?.push(to);
  const said = Object.entries(MODULES).map(([name, { packages }]) => [name, packages]);
  expect(Object.fromEntries(said)).toEqual(
    Object.fromEntries(Object.entries(needed).map(([name, packages]) => [name, distinct(packages)])),
  );
});

/** The lines of a text that are neither blank nor the start of a comment or a part of a long one. */
const codeLines = (text: string): number => text.match(/^(?!\s*(?:$|\/\/|\/?\*)).*$/gm)?.length ?? 0;

it('keeps every module within its lines of code, and every budget near its module', () => {
  const counts = new Map<string, number>();
  for (const path of files) {
    const lines = codeLines(readFileSync(path, 'utf8'));
    counts.set(moduleOf(path), (counts.get(moduleOf(path)) ?? 0) + lines);
  }
  const off = Object.entries(MODULES).flatMap(([name, { lines: budget }]) => {
    const lines = counts.get(name) ?? 0;
    if (lines > budget) return [`${name} has ${lines} lines of code, more than its ${budget}: take some out`];
    return budget > lines + 20 + lines / 20 ? [`${name} has ${lines} lines: lower its ${budget}`] : [];
  });
  expect(off).toEqual([]);
});

/** Tests show behaviour through the face of a module: so many files of them import another file of one, and no more. */
const BEHIND_A_FACE = 103;

it('lets no more files of tests than before import a file behind the face of its module', () => {
  const tests = readdirSync('tests', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules'))
    .map((path) => join('tests', path));
  const isBehind = ({ to, ours }: Import): boolean =>
    ours && to.startsWith('src/') && MODULES[moduleOf(to)]?.face.includes(nameOf(to)) === false;
  const behind = tests.filter((path) => importsOf(path).some(isBehind));
  expect(behind).toHaveLength(BEHIND_A_FACE);
});

it('has no cycle of modules and none of files, type-only imports included', () => {
  expect(cyclesOf(Object.keys(MODULES), (name) => MODULES[name]?.uses ?? [])).toEqual([]);
  const next = (path: string) => (graph.get(path) ?? []).flatMap(({ to, ours }) => (ours ? [to] : []));
  expect(cyclesOf(files, next)).toEqual([]);
});

/** Imports and exports of types alone, which load nothing. */
const OF_TYPES = /^(?:(?:import|export) type\b|import \{(?:\s*type \w+(?: as \w+)?,?)+\s*\}) ?[^;]*;/gm;

it('lets no file load others at once through more than 24 files', () => {
  const chains = new Map<string, readonly string[]>();
  const chainFrom = (path: string): readonly string[] => {
    const known = chains.get(path);
    if (known !== undefined) return known;
    const loaded = importsOf(
      path,
      readFileSync(path, 'utf8').replace(OF_TYPES, '').replaceAll('import(', '('),
    );
    const below = loaded.flatMap(({ to, ours }) => (ours ? [chainFrom(to)] : []));
    const chain = [
      path,
      ...below.reduce((longest, each) => (each.length > longest.length ? each : longest), []),
    ];
    chains.set(path, chain);
    return chain;
  };
  expect(files.map(chainFrom).filter(({ length }) => length > 24)).toEqual([]);
});

it('keeps the layers apart', () => {
  const layers: readonly (readonly [layer: string, allowed: RegExp])[] = [
    ['core/', /^core\//],
    ['doors/', /^(?:core|doors)\//],
    ['adapters/', /^(?:core|adapters)\//],
    ['ui/', /^(?:core|ui)\//],
    ['headless/page', /^(?:core|ui)\//],
    ['headless/', /^(?:core|doors|adapters|headless)\//],
    ['plugin/', /^(?:core|doors|adapters|ui|plugin)\//],
  ];
  for (const [name, { uses }] of Object.entries(MODULES)) {
    const [, allowed] = layers.find(([layer]) => name.startsWith(layer)) ?? ['', /^$/];
    expect([name, uses.filter((each) => !allowed.test(each))]).toEqual([name, []]);
  }
});

it('knows no host in the core, and names Obsidian only where it is spoken to', () => {
  for (const [name, { packages }] of Object.entries(MODULES)) {
    if (name.startsWith('core/'))
      expect(packages.filter((each) => /^node:|^(?:express|pg|preact)$/.test(each))).toEqual([]);
    if (packages.includes('obsidian')) expect(name).toMatch(/^(?:plugin\/|adapters\/obsidian$)/);
  }
});

it('finds imports at all, type-only ones included', () => {
  expect(importsOf('src/core/operation/operation.ts').map(({ to }) => to)).toEqual(
    expect.arrayContaining(['zod', 'src/core/operation/context.ts', 'src/core/base/errors.ts']),
  );
});
