import { readFileSync } from 'node:fs';
import type * as Real from 'obsidian';
import * as fake from './index';

/** What others can see of a class; protected members no other class can have. */
type Public<T> = { [K in keyof T]: T[K] };

/** Compiles only while the fake's objects can stand wherever the real ones are asked for. */
interface Conforms {
  App: Takes<Real.App, fake.App>;
  BaseComponent: Takes<Real.BaseComponent, fake.BaseComponent>;
  ButtonComponent: Takes<Real.ButtonComponent, fake.ButtonComponent>;
  Component: Takes<Real.Component, fake.Component>;
  ConfirmationModal: Takes<Real.ConfirmationModal, fake.ConfirmationModal>;
  DropdownComponent: Takes<Real.DropdownComponent, fake.DropdownComponent>;
  Editor: Takes<Real.Editor, fake.Editor>;
  Events: Takes<Real.Events, fake.Events>;
  ExtraButtonComponent: Takes<Real.ExtraButtonComponent, fake.ExtraButtonComponent>;
  FileManager: Takes<Real.FileManager, fake.FileManager>;
  FileSystemAdapter: Takes<Real.FileSystemAdapter, fake.FileSystemAdapter>;
  FuzzySuggestModal: Takes<Real.FuzzySuggestModal<string>, fake.FuzzySuggestModal<string>>;
  ItemView: Takes<Public<Real.ItemView>, fake.ItemView>;
  Keymap: Takes<Real.Keymap, fake.Keymap>;
  Menu: Takes<Real.Menu, fake.Menu>;
  MenuItem: Takes<Real.MenuItem, fake.MenuItem>;
  MetadataCache: Takes<Real.MetadataCache, fake.MetadataCache>;
  Modal: Takes<Real.Modal, fake.Modal>;
  Notice: Takes<Real.Notice, fake.Notice>;
  Plugin: Takes<Real.Plugin, fake.Plugin>;
  PluginSettingTab: Takes<Real.PluginSettingTab, fake.PluginSettingTab>;
  Scope: Takes<Real.Scope, fake.Scope>;
  SecretComponent: Takes<Real.SecretComponent, fake.SecretComponent>;
  SecretStorage: Takes<Real.SecretStorage, fake.SecretStorage>;
  Setting: Takes<Real.Setting, fake.Setting>;
  SettingGroup: Takes<Real.SettingGroup, fake.SettingGroup>;
  SuggestModal: Takes<Real.SuggestModal<string>, fake.SuggestModal<string>>;
  TFile: Takes<Real.TFile, fake.TFile>;
  TFolder: Takes<Real.TFolder, fake.TFolder>;
  Tasks: Takes<Real.Tasks, fake.Tasks>;
  TextAreaComponent: Takes<Real.TextAreaComponent, fake.TextAreaComponent>;
  TextComponent: Takes<Real.TextComponent, fake.TextComponent>;
  TextFileView: Takes<Public<Real.TextFileView>, fake.TextFileView>;
  ToggleComponent: Takes<Real.ToggleComponent, fake.ToggleComponent>;
  Vault: Takes<Real.Vault, fake.Vault>;
  Workspace: Takes<Real.Workspace, fake.Workspace>;
  WorkspaceLeaf: Takes<Real.WorkspaceLeaf, fake.WorkspaceLeaf>;
  WorkspaceWindow: Takes<Real.WorkspaceWindow, fake.WorkspaceWindow>;
}
type Takes<Wanted, Given extends Wanted> = Given;

/** Functions and values, in which the fake may ask for less and promise more. */
const functions = {
  apiVersion: fake.apiVersion,
  debounce: fake.debounce,
  getLanguage: fake.getLanguage,
  normalizePath: fake.normalizePath,
  Platform: fake.Platform,
  requestUrl: fake.requestUrl,
  requireApiVersion: fake.requireApiVersion,
  setIcon: fake.setIcon,
  setTooltip: fake.setTooltip,
} satisfies Partial<typeof Real>;

/** Exported values of the real module that the fake leaves out, as nothing here uses them. */
const LEFT_OUT = `
  SearchComponent SettingPage
  AbstractInputSuggest BasesEntry BasesEntryGroup BasesQueryResult BasesView BasesViewConfig BooleanValue
  CapacitorAdapter ColorComponent DateValue DisplayValueComponent DurationValue EditorSuggest FileValue
  HTMLValue HoverPopover IconValue ImageValue LinkValue ListValue MarkdownEditView MarkdownPreviewRenderer
  MarkdownPreviewView MomentFormatComponent NotNullValue NullValue NumberValue ObjectValue PopoverState
  PopoverSuggest PrimitiveValue ProgressBarComponent QueryController RegExpValue RelativeDateValue
  SliderComponent StringValue TagValue UrlValue Value addIcon arrayBufferToBase64 arrayBufferToHex
  base64ToArrayBuffer displayTooltip editorEditorField editorInfoField editorLivePreviewField
  editorViewField finishRenderMath getAllTags getBlobArrayBuffer getFrontMatterInfo getIcon getIconIds
  getLinkpath hexToArrayBuffer htmlToMarkdown iterateCacheRefs iterateRefs livePreviewState loadMathJax
  loadMermaid loadPdfJs loadPrism moment parseFrontMatterAliases parseFrontMatterEntry
  parseFrontMatterStringArray parseFrontMatterTags parseLinktext parsePropertyId parseYaml
  prepareFuzzySearch prepareSimpleSearch removeIcon renderMatches renderMath renderResults request
  resolveSubpath sanitizeHTMLToDom sortSearchResults stringifyYaml stripHeading stripHeadingForLink
`;

/** Names that the fake has in addition. */
const ADDED = ['createHost', 'installDomHelpers'];

test('has a value for every exported value of the real module, or is known to leave it out', () => {
  const types = readFileSync('node_modules/obsidian/obsidian.d.ts', 'utf8');
  const exported = /^export (?:declare )?(?:abstract )?(?:class|function|const|let|enum) (\w+)/gm;
  const real = [...types.matchAll(exported)].map((match) => match[1]);
  const covered = [...Object.keys(fake), ...(LEFT_OUT.match(/\w+/g) ?? [])].filter(
    (name) => !ADDED.includes(name),
  );
  expect(real.length).toBeGreaterThan(150);
  expect(covered.sort()).toEqual(real.sort());
});

test('says which version of the app it stands for: the one whose types are installed', () => {
  const { version } = JSON.parse(readFileSync('node_modules/obsidian/package.json', 'utf8'));
  expect(functions.apiVersion).toBe(version);
});

test('refuses what it cannot do instead of answering wrongly', () => {
  expect(() => new fake.Editor().undo()).toThrow('has no undo');
});

export type { Conforms };
