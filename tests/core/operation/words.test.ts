import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { BrainError, called, type Vocabulary } from '../../../src/core/base/errors';
import { DESCRIPTORS } from '../../../src/core/operation/descriptors';
import { COMMAND_WORDS, ROUTE_WORDS, TOOL_WORDS, wordsFor } from '../../../src/core/operation/words';
import { OPERATIONS } from '../../../src/core/registry/table';
import { TOOLS } from '../../../src/doors/mcp/tools';

/** A message of the source, in the words of a door; `…` for what is put in. */
interface Message {
  readonly at: string;
  readonly names: readonly string[];
  in(words: Vocabulary): string;
}

/** Every text of the core that may become part of a message: strings and templates with a sentence in them. */
function messages(): Message[] {
  const found: Message[] = [];
  for (const name of readdirSync('src/core', { recursive: true, encoding: 'utf8' })) {
    if (
      !name.endsWith('.ts') ||
      /operation\/(?:words|descriptors)|notes\/guidance|base\/errors|config\/settings/.test(name)
    )
      continue;
    const path = join('src/core', name);
    const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      const isDescription = ts.isCallExpression(node) && /\.describe$/.test(node.expression.getText(file));
      if (isDescription) return;
      if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
        const names: string[] = [];
        const text = textOf(node, names);
        const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
        if (/[a-z…"\uE002] [a-z…"\uE000]/.test(text)) {
          found.push({
            at: `${path}:${line}`,
            names,
            in: (words) => new BrainError('busy', text).messageIn(words),
          });
        }
        return;
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

function textOf(node: ts.Expression, names: string[]): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return '…';
  return node.templateSpans.reduce((text, { expression, literal }) => {
    return text + spanOf(expression, names) + literal.text;
  }, node.head.text);
}

function spanOf(node: ts.Expression, names: string[]): string {
  if (!ts.isCallExpression(node) || node.expression.getText() !== 'called') return '…';
  const [name, plain] = node.arguments;
  if (name === undefined || plain === undefined || !ts.isStringLiteralLike(name)) return '…';
  names.push(name.text);
  return called(name.text, textOf(plain, []));
}

const all = messages();
const ROUTE = /\b(?:GET|POST|DELETE) \//;
const TOOL = /\bbrain_[a-z]/;
const COMMAND = /(?<!\.)\bbrain [a-z]|(?:^|\s)--[a-z]/;

it('finds the texts of the core', () => {
  expect(all.length).toBeGreaterThan(200);
  expect(new Set(all.flatMap(({ names }) => names)).size).toBeGreaterThan(5);
});

it('calls only operations that there are', () => {
  for (const name of new Set(all.flatMap(({ names }) => names))) expect(ROUTE_WORDS(name)).toMatch(ROUTE);
});

it.each<[string, Vocabulary, readonly RegExp[]]>([
  ['HTTP', ROUTE_WORDS, [TOOL, COMMAND]],
  ['MCP', TOOL_WORDS, [ROUTE, COMMAND]],
  ['the command line', COMMAND_WORDS, [ROUTE, TOOL]],
  ['a person', wordsFor('plain'), [ROUTE, TOOL, COMMAND]],
])('has no text with words of another door for %s', (_, words, foreign) => {
  const wrong = all.flatMap((message) => {
    const text = message.in(words);
    // A text that says whose word it is may name another door.
    const isSaid = text.includes('on the command line');
    return !isSaid && foreign.some((word) => word.test(text)) ? [`${message.at} ${text}`] : [];
  });
  expect(wrong).toEqual([]);
});

it('finds a text with words of another door', () => {
  expect('Use POST /update instead.').toMatch(ROUTE);
  expect('Use brain_update instead.').toMatch(TOOL);
  expect('Use brain update, or --force.').toMatch(COMMAND);
});

it('has the words of each door for every operation', () => {
  for (const [name, { path, tool }] of Object.entries<
    (typeof DESCRIPTORS)[keyof typeof DESCRIPTORS] & { tool?: string }
  >(DESCRIPTORS)) {
    expect(ROUTE_WORDS(name)).toContain(` ${path}`);
    if (tool !== undefined) expect(TOOL_WORDS(name)).toBe(tool);
  }
  for (const [name, { name: own }] of Object.entries(OPERATIONS)) {
    // A scope error calls the operation by its own name.
    if (ROUTE_WORDS(own) !== undefined) expect(ROUTE_WORDS(own)).toBe(ROUTE_WORDS(name));
  }
  const names = new Set(TOOLS.map((tool) => tool.name));
  for (const name of Object.keys(DESCRIPTORS)) {
    const tool = TOOL_WORDS(name);
    if (tool !== undefined) expect(names).toContain(tool);
  }
});

it('names only commands that the command line has', () => {
  const source = readdirSync('src/headless/cli', { encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join('src/headless/cli', name), 'utf8'))
    .join('\n');
  for (const name of Object.keys(DESCRIPTORS)) {
    const [, ...words] = (COMMAND_WORDS(name) ?? '').split(' ');
    for (const word of words) expect(source).toMatch(new RegExp(`['"\`]${word}\\b`));
  }
});

describe('a message', () => {
  const error = new BrainError(
    'note_not_found',
    `No note. Use ${called('write', 'a write')} or ${called('gate', 'the gate')}.`,
    {
      path: 'x',
    },
  );

  it('has the words of its door, and plain ones where it has none', () => {
    expect(error.message).toBe('No note. Use a write or the gate.');
    expect(error.messageIn(ROUTE_WORDS)).toBe('No note. Use POST /write or GET /gate.');
    expect(error.messageIn(TOOL_WORDS)).toBe('No note. Use brain_write or the gate.');
    expect(error.messageIn(wordsFor('command'))).toBe('No note. Use brain write or the gate.');
    expect(error.messageIn(wordsFor(undefined))).toContain('POST /write');
    expect(error.messageIn(wordsFor('plain'))).toBe(error.message);
  });

  it('keeps them with other details', () => {
    const other = error.withDetails({ path: 'y' });
    expect([other.code, other.details, other.messageIn(TOOL_WORDS)]).toEqual([
      'note_not_found',
      { path: 'y' },
      error.messageIn(TOOL_WORDS),
    ]);
  });
});
