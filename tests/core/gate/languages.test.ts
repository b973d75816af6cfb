import { activeLanguage } from '../../../src/core/gate/languages';

it.each([
  ['', null],
  ['   ', null],
  // Languages that are coloured, in any spelling and with options.
  ['python', null],
  ['Python', null],
  ['c++', null],
  ['C#', null],
  ['objective-c++', null],
  ['html.hbs', null],
  ['js{1,3-5} title="a"', null],
  ['ts:src/a.ts', null],
  ['rust,no_run', null],
  ['js=12', null],
  ['python {.dataviewjs}', null],
  ['text button', null],
  ['{.python #id .numberLines startFrom="100"}', null],
  ['{r}', null],
  ['{r setup, include=FALSE}', null],
  ['{python}', null],
  ['{#id key=dataviewjs}', null],
  ['java\u200bscript', null],
  ['&#106;s', null],
  // What the app and its plugins show without running code.
  ['mermaid', null],
  ['math', null],
  ['query', null],
  ['base', null],
  ['dataview', null],
  ['python3', null],
  ['csv', null],
  ['log', null],
  ['none', null],
  ['dotenv', null],
  ['hcl', null],
  ['dot', null],
  ['tasks', null],
  // Everything else.
  ['dataviewjs', 'dataviewjs'],
  ['datacorejs', 'datacorejs'],
  ['datacorejsx', 'datacorejsx'],
  ['datacorets', 'datacorets'],
  ['datacoretsx', 'datacoretsx'],
  ['js-engine', 'js-engine'],
  ['js-engine-debug', 'js-engine-debug'],
  ['meta-bind-button', 'meta-bind-button'],
  ['meta-bind-js-view', 'meta-bind-js-view'],
  ['meta-bind', 'meta-bind'],
  ['run-python', 'run-python'],
  ['dataview\u200bjs', 'dataviewjs'],
  ['DATAVIEWJS', 'DATAVIEWJS'],
  ['&#100;ataviewjs', 'dataviewjs'],
  ['data\\view', 'data\\view'],
  ['ad-note', 'ad-note'],
  ['x-unknown', 'x-unknown'],
  ['.python', '.python'],
  ['jsx-live', 'jsx-live'],
  ['python.live', 'python.live'],
  ['{.dataviewjs}', 'dataviewjs'],
  ['{.dataviewjs', 'dataviewjs'],
  ['{.python .dataviewjs}', 'dataviewjs'],
  ['{dataviewjs}', 'dataviewjs'],
  ['{=html}', '=html'],
])('of the info string %j the language is %j', (info, expected) => {
  expect(activeLanguage(info, '')).toBe(expected);
});

it.each([
  ['base', 'views:\n  - type: table', null],
  ['base', 'formulas:\n  x: html("<img>")', 'base'],
  ['dataview', 'LIST FROM "x"', null],
  ['dataview', 'TABLE "`$= app.vault`"', 'dataview'],
])('a block of the language %s that says %j is %j', (language, code, expected) => {
  expect(activeLanguage(language, code)).toBe(expected);
});

it.each([
  ['not done\nsort by due', null],
  ['description includes the function', null],
  ['path includes {{query.file.path}}', null],
  ['filter by function task.x', 'tasks'],
  ['FILTER BY FUNCTION task.x', 'tasks'],
  ['not done\nsort by  function reverse task.x', 'tasks'],
  ['group by \\\n  function task.x', 'tasks'],
  ['group by \\  \r\n> function task.x', 'tasks'],
  ['group by{{! a comment }} function task.x', 'tasks'],
  ["{{query.file.property('x')}}", 'tasks'],
  ['filter by func\u200btion task.x', 'tasks'],
  [null, 'tasks'],
])('a query for tasks that says %j is %j', (code, expected) => {
  expect(activeLanguage('tasks', code)).toBe(expected);
  expect(activeLanguage('Tasks {x}', code)?.toLowerCase()).toBe(expected ?? undefined);
});
