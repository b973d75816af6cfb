export { App, RenderContext } from './app/app';
export { Plugin } from './app/plugin';
export { SecretStorage } from './app/secret-storage';
export { Component } from './core/component';
export { debounce } from './core/debounce';
export { Events } from './core/events';
export { normalizePath } from './core/path';
export { apiVersion, getLanguage, Platform, requireApiVersion } from './core/platform';
export { requestUrl } from './core/request-url';
export { installDomHelpers } from './dom/install';
export { createHost, type HostOptions } from './host/create-host';
export type { Host } from './host/host';
export { MetadataCache } from './metadata/metadata-cache';
export { ButtonComponent, ExtraButtonComponent } from './settings/button-components';
export { DropdownComponent, ToggleComponent } from './settings/choice-components';
export { BaseComponent, ValueComponent } from './settings/component';
export { SecretComponent } from './settings/secret-component';
export { Setting } from './settings/setting';
export { SettingGroup } from './settings/setting-group';
export { PluginSettingTab, SettingTab } from './settings/setting-tab';
export { AbstractTextComponent, TextAreaComponent, TextComponent } from './settings/text-components';
export { ConfirmationButton, ConfirmationModal } from './ui/confirmation-modal';
export { setIcon } from './ui/icons';
export { Keymap, Scope } from './ui/keymap';
export { MarkdownRenderChild, MarkdownRenderer } from './ui/markdown-renderer';
export { Menu, MenuItem, MenuSeparator } from './ui/menu';
export { Modal } from './ui/modal';
export { Notice } from './ui/notice';
export { FuzzySuggestModal, SuggestModal } from './ui/suggest-modal';
export { setTooltip } from './ui/tooltip';
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
