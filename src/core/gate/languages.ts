import { decodeEntities } from '../markdown/html';

/** The languages of highlight.js 11.12.0 (BSD-3-Clause) with their aliases: code in them is coloured and never run. */
const COLOURED = `
  1c abnf accesslog actionscript ada ado adoc ahk angelscript apache apacheconf applescript arcade
  arduino arm armasm as asc asciidoc aspectj atom autohotkey autoit avrasm awk axapta bash basic bat
  batch bf bind bnf brainfuck c c# c++ cal capnp capnproto cc ceylon cjs clean clj clojure clojure-repl
  cls cmake cmake.in cmd coffee coffeescript console coq cos cpp cr craftcms crm crmsh crystal cs
  csharp cson csp css cts cxx d dart dcl delphi desktop dfm diff django dns do docker dockerfile dos
  dpr dsconfig dst dts dust ebnf edn elixir elm erb erl erlang erlang-repl ex excel exs f# f90 f95
  feature fix flix fortran freedesktop fs fsharp gams gauss gcode gemspec gherkin glsl gml gms go
  golang golo gql gradle graph graphql groovy gss gyp h h++ haml handlebars haskell haxe hbs hh hpp hs
  hsp html html.handlebars html.hbs htmlbars http https hx hxx hy hylang i7 iced icl inform7 ini ino
  instances ipython irb irpf90 isbl java javascript jboss-cli jinja jldoctest js json json5 jsonc jsp
  jsx julia julia-repl k kdb kotlin kt ktm kts ktx lasso lassoscript latex ldif leaf less lisp
  livecodeserver livescript llvm ls lsl lua m mak make makefile markdown mathematica matlab maxima md
  mel mercury mikrotik mips mipsasm mizar mjs mk mkd mkdown ml mm mma mojolicious monkey moo moon
  moonscript mts n1ql nc nestedtext nginx nginxconf nim nix nixos node-repl nsis nt obj-c obj-c++ objc
  objective-c++ objectivec ocaml openscad osascript oxygene p21 parser3 pas pascal patch pb pbi pcmk
  pde perl pf pf.conf pgsql php php-template pl plaintext plist pluto pm podspec pony postgres
  postgresql powershell pp processing profile prolog properties proto protobuf ps ps1 puppet purebasic
  pwsh py pycon python python-repl q qml qt r rb re reasonml rib roboconf routeros rs rsl rss ruby
  ruleslanguage rust sas scad scala scheme sci scilab scm scss sh shell shellsession smali smalltalk
  sml sqf sql st stan stanfuncs stata step step21 stp styl stylus subunit sv svg svh swift systemd
  taggerscript tao tap tcl tex text thor thrift tk toml tp ts tsx twig txt typescript v vala vb vbnet
  vbs vbscript vbscript-html verilog vhdl vim wasm wildfly-cli wl wren wsf x++ x86asm xhtml xjb xl xls
  xlsx xml xpath xq xqm xquery xsd xsl yaml yml zep zephir zone zsh
`;
/** Formats that show as their text, and blocks of which the app and its plugins make a picture, a formula or a list. */
const SHOWN = `
  jsonl ndjson mermaid math query csv tsv log none plain output env dotenv python3 mysql sqlite elisp hcl terraform vue svelte zig
  solidity dot
`;

const HARMLESS: ReadonlySet<string> = new Set(`${COLOURED} ${SHOWN}`.trim().split(/\s+/));
/** Blocks of which the app and its plugins make a list: harmless without code in them. */
const LISTS: ReadonlyMap<string, (code: string) => boolean> = new Map([
  ['tasks', holdsFunction],
  ['base', isActiveBase],
  ['dataview', (code) => /`\s*\$=/.test(code)],
]);
/** Classes of Pandoc that say how a block is shown, not what it is. */
const STYLES: ReadonlySet<string> = new Set(['numberlines', 'number-lines', 'line-numbers', 'linenos']);

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
/** A backslash that Markdown takes for an escape. */
const ESCAPE = /\\(?=[!-/:-@[-`{-~])/g;

/** Returns true for the name of a language of which nothing is run. */
export function isHarmlessLanguage(name: string): boolean {
  return HARMLESS.has(folded(name));
}

function folded(name: string): string {
  return name.replace(IGNORABLE, '').toLowerCase();
}

/**
 * Returns the language of a code block that a plugin may run, as written; null for a harmless block.
 * @param info the words behind the opening fence; they may be attributes in braces
 * @param code the text of the block; null when its end is not known
 */
export function activeLanguage(info: string, code: string | null): string | null {
  const words = decodeEntities(info.replace(IGNORABLE, '')).replace(ESCAPE, '').trim();
  for (const name of namesIn(words)) {
    const isActive = LISTS.get(folded(name));
    const isList = isActive !== undefined && code !== null && !isActive(code);
    if (!isList && !isHarmlessLanguage(name)) return name;
  }
  return null;
}

/** Returns every word of an info string that some reader takes for the language. */
function namesIn(words: string): string[] {
  if (words.startsWith('{')) return namesInBraces(words);
  const [first = ''] = words.split(/\s/, 1);
  if (first === '' || isHarmlessLanguage(first)) return [];
  // `js{1,3}`, `js:title`, `js,editable` and `js=12` are `js` with options.
  const [name = ''] = first.split(/[{:,;=([|"'/]/, 1);
  return [isHarmlessLanguage(name) || LISTS.has(folded(name)) ? name : first];
}

/** `{.python #id key=value}` of Pandoc, `{r label, echo=FALSE}` of R Markdown. */
function namesInBraces(words: string): string[] {
  const names: string[] = [];
  const [inside = ''] = words.slice(1).split('}', 1);
  for (const [index, word] of inside
    .split(/[\s,{]+/)
    .filter(Boolean)
    .entries()) {
    if (word.startsWith('#') || /^[^=]+=/.test(word)) continue;
    const name = word.replace(/^\./, '');
    const isClass = name !== word;
    if ((isClass || index === 0) && !STYLES.has(folded(name))) names.push(name);
  }
  return names;
}

/** Where the file of a query lies: the only placeholders of a query for tasks that cannot hold an instruction. */
const PLACES =
  /\{\{\s*query\.file\.(?:path|root|folder|filename|pathWithoutExtension|filenameWithoutExtension)\s*\}\}/g;

/** Returns true when a query for tasks has an instruction that is code, or a placeholder that may stand for one. */
function holdsFunction(code: string): boolean {
  const joined = code.replace(IGNORABLE, '').replace(/\\\s*?(?:\r\n|\n|\r)[\s>]*/g, ' ');
  return /\bby\s+function\b/i.test(joined) || joined.replace(PLACES, '').includes('{{');
}

/** Formulas that make HTML or fetch a picture, template code, other views than those of the app, and addresses of programs. */
const BASE_ACTIVE =
  /\b(?:html|image)\s*\(|<%|\\[xu\r\n]|\btype["']?[ \t]*:[ \t]*["']?(?!(?:table|cards|list|map)\b)\w|(?:java|vb)script:|\bdata:[a-z]|\b(?!https?:)[a-z][a-z0-9+.-]{1,30}:\/\//i;

/** Returns true for a base, a file or a block, that makes HTML, fetches a picture or opens a program. */
export function isActiveBase(text: string): boolean {
  return BASE_ACTIVE.test(decodeEntities(text));
}
