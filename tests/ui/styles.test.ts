import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import * as ts from 'typescript';
import { NARROW_PANE, WIDE_PANE } from '../../src/ui/kit/lists';

/**
 * Style sheets and screens fit together: no rule without a use, no class without a rule, no class outside of its module.
 * A class belongs to the module that writes it, and to the kit as soon as several do. The style sheet of a module may also
 * name the classes of the kit and of modules that it uses.
 */

/** The app gives these; their look on the web page is in `src/headless/page/theme.css`. */
const OF_THE_APP = new Set([
  ...['theme-light', 'theme-dark', 'svg-icon', 'clickable-icon', 'markdown-rendered', 'external-link'],
  ...['mod-cta', 'mod-warning', 'mod-clickable', 'mod-left-split', 'mod-right-split'],
  ...['workspace-leaf-content', 'view-content', 'modal', 'modal-content', 'status-bar-item'],
]);
/** Classes without a look, and what they are for. */
const HOOKS: Readonly<Record<string, string>> = {};
/** Classes that the kit describes for a single module, and why it has to. */
const KIT_FOR_ONE: Readonly<Record<string, string>> = {
  'brain-web': 'It carries the tokens of the page around the screens.',
  'brain-status': 'It carries the tokens of the status bar.',
  'brain-layer': 'Its parts look as those of a screen, outside of which it lies.',
};
/** The widths at which a layout changes, in px; `src/ui/kit/tokens.css` says what they mean. */
const WIDTHS = [559, NARROW_PANE - 1, 999, WIDE_PANE - 1, 1365];

const KIT = 'ui/kit';
const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((path) => join('src', path));
const moduleOf = (path: string): string => posix.dirname(path).slice('src/'.length);
const distinct = (values: readonly string[]): string[] => [...new Set(values)].sort();

const isOurs = (name: string): boolean => name.startsWith('brain-');
/** Names of our own and of their variants; the parts of a chart or a text have short ones. */
const isNamed = (name: string): boolean => /^(?:brain|mod|is)-/.test(name);

/** A selector of a style sheet, and the classes that it names in order. */
interface Selector {
  readonly file: string;
  readonly text: string;
  readonly classes: readonly string[];
}

/** The selectors of a style sheet, those of rules within container and media queries included. */
function selectorsOf(file: string, css: string): Selector[] {
  const heads = css.replaceAll(/\/\*[^]*?\*\//g, '').matchAll(/([^{};]+)\{/g);
  return [...heads]
    .map(([, head = '']) => head.trim().replaceAll(/\s+/g, ' '))
    .filter((head) => !head.startsWith('@'))
    .flatMap((head) => partsOf(head))
    .map((text) => ({
      file,
      text,
      classes: [...text.matchAll(/\.(-?[a-z][\w-]*)/gi)].map(([, name = '']) => name),
    }));
}

/** The selectors of a list, split at the commas outside of brackets. */
function partsOf(list: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of list) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${char}`);
  }
  return parts.map((part) => part.trim());
}

/** A word in a source: a class where it stands in the place of one, perhaps a class where it only looks like it. */
interface Word {
  readonly file: string;
  readonly text: string;
  readonly isClass: boolean;
}

interface Reading {
  readonly words: readonly Word[];
  /** Templates in the place of a class that join a name to what they put in, so that the whole name is written nowhere. */
  readonly glued: readonly string[];
}

function isClassPlace(node: ts.Node): boolean {
  if (ts.isJsxAttribute(node)) return node.name.getText() === 'class';
  if (ts.isPropertyAssignment(node)) return node.name.getText() === 'cls';
  if (ts.isCallExpression(node))
    return /(?:\.classList\.\w+|\.addClass|\.addClasses|\.toggleClass)$/.test(node.expression.getText());
  return ts.isBinaryExpression(node) && node.left.getText().endsWith('.className');
}

/** Conditions and arguments within the place of a class are no classes. */
function isAside(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isConditionalExpression(parent)) return parent.condition === node;
  return ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsEqualsEqualsToken;
}

function readSource(file: string, text: string): Reading {
  const words: Word[] = [];
  const glued: string[] = [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const visit = (node: ts.Node, within: boolean): void => {
    const isClass = (within && !isAside(node)) || isClassPlace(node);
    const literal =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (literal) {
      for (const word of node.text.split(/\s+/))
        if (isClass || isNamed(word)) words.push({ file, text: word, isClass });
    }
    if (isClass && ts.isTemplateExpression(node)) {
      const after = node.templateSpans.map(({ literal: { text: tail } }) => tail);
      const before = [node.head.text, ...after.slice(0, -1)];
      if (before.some((part) => /\S$/.test(part)) || after.some((part) => /^\S/.test(part)))
        glued.push(`${file}: ${node.getText()}`);
    }
    ts.forEachChild(node, (child) => visit(child, isClass));
  };
  visit(source, false);
  return { words: words.filter((word) => word.text !== ''), glued };
}

const sheets = files.filter((path) => path.endsWith('.css') && !path.endsWith('/theme.css'));
const sources = files.filter((path) => /^src\/(?:ui|plugin|headless\/page)\/.*\.tsx?$/.test(path));
const MODULES = JSON.parse(readFileSync('src/modules.json', 'utf8')) as Readonly<
  Record<string, { uses: string[] }>
>; // Our own file.

const selectors = sheets.flatMap((file) => selectorsOf(file, readFileSync(file, 'utf8')));
const readings = sources.map((file) => readSource(file, readFileSync(file, 'utf8')));
const words = readings.flatMap((reading) => reading.words);

interface Project {
  readonly selectors: readonly Selector[];
  readonly words: readonly Word[];
}
const project: Project = { selectors, words };

const named = (all: Project): Set<string> => new Set(all.selectors.flatMap(({ classes }) => classes));
const mayName = (module: string, other: string): boolean =>
  module === other || (MODULES[module]?.uses.includes(other) ?? false);

/** The modules that write a class. */
function writers({ words }: Project, name: string): string[] {
  return distinct(words.filter(({ text }) => text === name).map(({ file }) => moduleOf(file)));
}

const kitClasses = (all: Project): Set<string> =>
  new Set(all.selectors.filter(({ file }) => moduleOf(file) === KIT).flatMap(({ classes }) => classes));

/** Selectors with a class that nobody writes, or that only modules write which that of the style sheet does not use. */
function deadSelectors(all: Project): string[] {
  const ofKit = kitClasses(all);
  const isAlive = (module: string, name: string): boolean => {
    const by = writers(all, name);
    return by.some((other) => module === KIT || (isOurs(name) && ofKit.has(name)) || mayName(module, other));
  };
  return all.selectors.flatMap(({ file, text, classes }) =>
    classes
      .filter((name) => !OF_THE_APP.has(name) && !isAlive(moduleOf(file), name))
      .map((name) => `${file}: ${text}: ${name}`),
  );
}

/** Classes that a screen writes and no style sheet names. */
function bareClasses(all: Project): string[] {
  const ruled = named(all);
  const isKnown = (name: string): boolean => ruled.has(name) || OF_THE_APP.has(name) || name in HOOKS;
  return distinct(
    all.words
      .filter(({ isClass, text }) => isClass && !isKnown(text))
      .map(({ file, text }) => `${file}: ${text}`),
  );
}

/** Classes that several modules write although the kit does not describe them, and those that it describes for one alone. */
function misplaced(all: Project): string[] {
  const ofKit = kitClasses(all);
  return distinct([...named(all)]).flatMap((name) => {
    const by = writers(all, name);
    if (!ofKit.has(name) && isOurs(name) && by.length > 1)
      return [`${name} is written by ${by.join(', ')}: describe it in the kit`];
    const isForOne = ofKit.has(name) && isNamed(name) && by.length === 1 && !by.includes(KIT);
    if (!isForOne || OF_THE_APP.has(name) || name in KIT_FOR_ONE) return [];
    return [`${name} is written by ${by.join()} alone: describe it there`];
  });
}

it('loads every style sheet, those of the page on the page alone', () => {
  const plugin = readFileSync('styles.css', 'utf8');
  const left = sheets.filter((file) => !plugin.includes(readFileSync(file, 'utf8')));
  expect(distinct(left)).toEqual(['src/headless/page/page.css', 'src/ui/web/web.css']);
});

it('has no rule for a class that nobody writes', () => {
  expect(deadSelectors(project)).toEqual([]);
});

it('has a rule for every class, or a reason', () => {
  expect(bareClasses(project)).toEqual([]);
  expect(
    Object.keys(HOOKS).filter((name) => named(project).has(name) || writers(project, name).length === 0),
  ).toEqual([]);
});

it('keeps the classes of a module in its folder', () => {
  expect(misplaced(project)).toEqual([]);
  expect(Object.keys(KIT_FOR_ONE).filter((name) => writers(project, name).length !== 1)).toEqual([]);
});

it('writes every class whole', () => {
  expect(readings.flatMap(({ glued }) => glued)).toEqual([]);
});

it('changes a layout at the declared widths only', () => {
  const queries = sheets.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/@(?:container|media)[^{]*/g)].map(([query]) => query),
  );
  const widths = queries.flatMap((query) => [...query.matchAll(/(min|max)-width: (\d+)px/g)]);
  expect(distinct(widths.map(([, side, px]) => String(Number(px) - (side === 'min' ? 1 : 0))))).toEqual(
    distinct(WIDTHS.map(String)),
  );
});

it('finds what is planted', () => {
  const sheet = selectorsOf(
    'src/ui/queue/queue.css',
    '.brain-queue > .brain-gone, .brain-find, .brain-queue.mod-gone { top: 0 }',
  );
  const screen = readSource(
    'src/ui/queue/planted.tsx',
    "const part = <i class={x === 'brain-no' ? 'brain-new' : `brain-find mod-${x}`} id='brain-id' />;",
  );
  const all: Project = { selectors: [...selectors, ...sheet], words: [...words, ...screen.words] };
  expect(deadSelectors(all)).toEqual([
    'src/ui/queue/queue.css: .brain-queue > .brain-gone: brain-gone',
    'src/ui/queue/queue.css: .brain-queue.mod-gone: mod-gone',
  ]);
  expect(deadSelectors({ selectors: sheet, words })).toContain(
    'src/ui/queue/queue.css: .brain-find: brain-find',
  );
  expect(bareClasses(all)).toEqual(['src/ui/queue/planted.tsx: brain-new', 'src/ui/queue/planted.tsx: mod-']);
  expect(misplaced(all)).toEqual(['brain-find is written by ui/queue, ui/search: describe it in the kit']);
  expect(screen.glued).toHaveLength(1);
});
