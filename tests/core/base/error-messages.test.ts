import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The errors whose message a person or an agent reads, and which of their arguments it is. */
const SHOWN: Readonly<Record<string, number>> = {
  BrainError: 1,
  CallError: 1,
  ConfigError: 0,
  CommandError: 0,
  FailedAnswer: 0,
  Interrupted: 0,
  Unreachable: 0,
  UsageError: 0,
  PortBusy: 0,
  VaultInUse: 0,
};

interface Message {
  readonly at: string;
  /** The text as it is written; `…` for every part that is put in. */
  readonly text: string;
}

/** Every message of those errors that is written out where the error is made. */
function messages(): Message[] {
  const found: Message[] = [];
  for (const name of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(name)) continue;
    const path = join('src', name);
    const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isNewExpression(node)) {
        const index = SHOWN[node.expression.getText(file)];
        const message = index === undefined ? undefined : node.arguments?.[index];
        const text = message && textOf(message);
        const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
        if (text !== undefined) found.push({ at: `${path}:${line}`, text });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

/** Undefined for a message that is not written out here. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === undefined && right === undefined ? undefined : `${left ?? '…'}${right ?? '…'}`;
  }
  return undefined;
}

const all = messages();

it('finds the messages', () => {
  expect(all.length).toBeGreaterThan(80);
  expect(all.map(({ text }) => text)).toContain('The query is empty. Say in a few words what to look for.');
});

it('has only messages that begin as sentences do, with a name in quotation marks, or with a name that is put in', () => {
  expect(all.filter(({ text }) => !/^(?:[A-Z]|"|…)/.test(text))).toEqual([]);
});

it('has only messages that end as sentences do, or with something to copy', () => {
  expect(all.filter(({ text }) => !/(?:[.?]|…|: .*)$/.test(text))).toEqual([]);
});

it('has no message that shouts or begs', () => {
  expect(all.filter(({ text }) => /!(?!=)|\bplease\b|\bsorry\b|\boops\b/i.test(text))).toEqual([]);
});
