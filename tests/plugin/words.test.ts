import { readFileSync, readdirSync } from 'node:fs';
import { MANIFEST, closeWorlds, openWorld } from './plugin-world';

afterEach(closeWorlds);

/** Words that keep their capitals wherever they stand. */
const NAMES =
  /\b(?:AGENTS\.md|BRAIN_[A-Z_]+|Brain|Electron|HTTP|MCP|Markdown|MiB|Obsidian|Ollama|Postgres|Preact|UTF-8|Ctrl|A|R|I|Wikipedia)\b/g;

/** What is wrong with a text that a person reads; null when nothing is. */
function wordProblem(text: string): string | null {
  const plain = text.replace(/[^\s]*[/@:.][^\s]*[^\s.…]/g, 'x').replace(NAMES, 'x');
  if (/!/.test(plain)) return 'an exclamation mark';
  if (/\bplease\b/i.test(plain)) return 'please';
  for (const sentence of plain.split(/[.…?]\s+|; |: /)) {
    const [, ...others] = sentence.trim().split(/\s+/);
    if (others.some((word) => /^\p{Lu}/u.test(word))) return `capitals in "${sentence.trim()}"`;
  }
  return null;
}

const problemsIn = (texts: readonly string[]) =>
  texts.map((text) => [text, wordProblem(text)] as const).filter(([, problem]) => problem !== null);

/** Everything that can be read below the element, and what a screen reader says of it. */
function textsOf(root: Element): string[] {
  const texts: string[] = [];
  for (const element of [root, ...root.querySelectorAll('*')]) {
    for (const name of ['aria-label', 'title', 'placeholder']) texts.push(element.getAttribute(name) ?? '');
    for (const node of element.childNodes)
      if (node.nodeType === node.TEXT_NODE) texts.push(node.textContent ?? '');
  }
  return texts.map((text) => text.trim()).filter((text) => /\p{L}/u.test(text));
}

it('finds what it looks for', () => {
  expect(wordProblem('Open Review Queue')).not.toBeNull();
  expect(wordProblem('Done!')).not.toBeNull();
  expect(wordProblem('Open review queue')).toBeNull();
  expect(wordProblem('Agents reach this vault at http://127.0.0.1:27246. Nothing else does.')).toBeNull();
});

it('names commands in sentence case, without the plugin or the word "command"', async () => {
  const { host } = await openWorld();
  const names = host.commands.map(({ name }) => name.replace(`${MANIFEST.name}: `, ''));
  expect(problemsIn(names)).toEqual([]);
  expect(names.filter((name) => /command|brain server/i.test(name))).toEqual([]);
});

it('speaks in sentence case in its windows, settings, menus, bars and empty screens', async () => {
  const world = await openWorld();
  const { host, document } = world;
  const read = [...textsOf(document.body)];
  read.push(...textsOf(host.openSettings(MANIFEST.id)));
  await host.app.workspace.getLeaf('tab').setViewState({ type: 'brain-server-queue', active: true });
  read.push(...textsOf(document.body));
  await world.start();
  read.push(...textsOf(document.body));
  host.runCommand('brain-server:capture');
  await world.until('the window', () => host.modals.length === 1);
  read.push(...textsOf(document.body));
  expect(read.length).toBeGreaterThan(100);
  expect(problemsIn([...new Set(read)])).toEqual([]);
});

it('says nothing else in its code', () => {
  const texts = readdirSync('src/plugin', { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => {
      const code = readFileSync(`src/plugin/${file}`, 'utf8').replace(
        /\/\*[\s\S]*?\*\/|(?<=\s)\/\/.*$/gm,
        '',
      );
      return [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\$]|\\.)*)`/g)].map(
        ([, a, b]) => a ?? b ?? '',
      );
    })
    .filter((text) => /^\p{Lu}\p{Ll}+ /u.test(text));
  expect(texts.length).toBeGreaterThan(60);
  expect(problemsIn(texts)).toEqual([]);
});
