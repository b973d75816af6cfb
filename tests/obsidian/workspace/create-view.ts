import type { View as RealView } from 'obsidian';
import type { HostState } from '../core/host-state';
import type { WorkspaceLeaf } from './leaf';
import { MarkdownView } from './markdown-view';
import { EmptyView, type View } from './view';

/** A view of that type, or null while nobody has registered it. */
export function createView(state: HostState, leaf: WorkspaceLeaf, type: string): RealView | null {
  if (type === 'empty') return realView(new EmptyView(leaf));
  if (type === 'markdown') return realView(new MarkdownView(leaf));
  return state.views.get(type)?.(leaf) ?? null;
}

/** The type of view that shows files with this extension, or null when the app shows none such. */
export function typeOfFile(state: HostState, extension: string): string | null {
  return state.extensions.get(extension) ?? (extension === 'md' ? 'markdown' : null);
}

/** `onOpen` and `onClose` are protected: only the host calls them. */
export function hooksOf(view: RealView): { onOpen(): Promise<void>; onClose(): Promise<void> } {
  const call = async (name: 'onOpen' | 'onClose'): Promise<void> => {
    await Reflect.apply(Reflect.get(view, name), view, []);
  };
  return { onOpen: () => call('onOpen'), onClose: () => call('onClose') };
}

/** The fake's own views are declared apart from the real ones, whose protected members no other class can have. */
export function realView(view: View): RealView {
  return view as unknown as RealView;
}
