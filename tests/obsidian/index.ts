export { App, RenderContext } from './app/app';
export { Plugin } from './app/plugin';
export { SecretStorage } from './app/secret-storage';
export {
  arrayBufferToBase64,
  arrayBufferToHex,
  base64ToArrayBuffer,
  getBlobArrayBuffer,
  hexToArrayBuffer,
} from './core/bytes';
export { Component } from './core/component';
export { debounce } from './core/debounce';
export { Events } from './core/events';
export {
  finishRenderMath,
  htmlToMarkdown,
  loadMathJax,
  loadMermaid,
  loadPdfJs,
  loadPrism,
  moment,
  parsePropertyId,
  renderMath,
} from './core/not-faked';
export { normalizePath } from './core/path';
export { apiVersion, getLanguage, Platform, requireApiVersion } from './core/platform';
export { request, requestUrl } from './core/request-url';
export { getFrontMatterInfo, parseYaml, stringifyYaml } from './core/yaml';
export { installDomHelpers } from './dom/install';
export { createHost, type HostOptions } from './host/create-host';
export type { Host } from './host/host';
export {
  getAllTags,
  iterateCacheRefs,
  iterateRefs,
  parseFrontMatterAliases,
  parseFrontMatterEntry,
  parseFrontMatterStringArray,
  parseFrontMatterTags,
  resolveSubpath,
  stripHeading,
  stripHeadingForLink,
} from './metadata/helpers';
export { getLinkpath, parseLinktext } from './metadata/link-target';
export { MetadataCache } from './metadata/metadata-cache';
export { ButtonComponent, ExtraButtonComponent } from './settings/button-components';
export { DropdownComponent, ToggleComponent } from './settings/choice-components';
export { BaseComponent, ValueComponent } from './settings/component';
export {
  ColorComponent,
  DisplayValueComponent,
  ProgressBarComponent,
  SliderComponent,
} from './settings/range-components';
export { SecretComponent } from './settings/secret-component';
export { Setting } from './settings/setting';
export { SettingGroup } from './settings/setting-group';
export { SettingPage } from './settings/setting-page';
export { PluginSettingTab, SettingTab } from './settings/setting-tab';
export {
  AbstractTextComponent,
  MomentFormatComponent,
  SearchComponent,
  TextAreaComponent,
  TextComponent,
} from './settings/text-components';
export { ConfirmationButton, ConfirmationModal } from './ui/confirmation-modal';
export {
  prepareFuzzySearch,
  prepareSimpleSearch,
  renderMatches,
  renderResults,
  sortSearchResults,
} from './ui/fuzzy';
export { addIcon, getIcon, getIconIds, removeIcon, setIcon } from './ui/icons';
export { Keymap, Scope } from './ui/keymap';
export { AbstractInputSuggest, PopoverSuggest } from './ui/input-suggest';
export { MarkdownRenderChild, MarkdownRenderer } from './ui/markdown-renderer';
export { Menu, MenuItem, MenuSeparator } from './ui/menu';
export { Modal } from './ui/modal';
export { Notice } from './ui/notice';
export { sanitizeHTMLToDom } from './ui/sanitize';
export { FuzzySuggestModal, SuggestModal } from './ui/suggest-modal';
export { displayTooltip, setTooltip } from './ui/tooltip';
export { FileSystemAdapter } from './vault/adapter';
export { FileManager } from './vault/file-manager';
export { TAbstractFile, TFile, TFolder } from './vault/files';
export { Vault } from './vault/vault';
export { Editor } from './workspace/editor';
export { EditableFileView, FileView, TextFileView } from './workspace/file-views';
export {
  WorkspaceContainer,
  WorkspaceFloating,
  WorkspaceItem,
  WorkspaceMobileDrawer,
  WorkspaceParent,
  WorkspaceRibbon,
  WorkspaceRoot,
  WorkspaceSidedock,
  WorkspaceSplit,
  WorkspaceTabs,
  WorkspaceWindow,
} from './workspace/items';
export { WorkspaceLeaf } from './workspace/leaf';
export { MarkdownView } from './workspace/markdown-view';
export { Tasks } from './workspace/tasks';
export { ItemView, View } from './workspace/view';
export { Workspace } from './workspace/workspace';
