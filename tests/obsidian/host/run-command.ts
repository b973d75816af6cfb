import type { HostState } from '../core/host-state';

/** Runs a command as the palette does; the kinds of callback win over each other in the order that the host documents. */
export function runCommand(state: HostState, id: string): boolean {
  const command = state.commands.get(id);
  if (command === undefined) throw new Error(`There is no command "${id}".`);
  const { callback, checkCallback, editorCallback, editorCheckCallback } = command;
  if (editorCheckCallback !== undefined || editorCallback !== undefined) {
    const info = state.app.workspace.activeEditor;
    if (info?.editor === undefined) return false;
    if (editorCheckCallback === undefined) {
      editorCallback?.(info.editor, info);
      return true;
    }
    if (editorCheckCallback(true, info.editor, info) !== true) return false;
    editorCheckCallback(false, info.editor, info);
    return true;
  }
  if (checkCallback !== undefined) {
    if (checkCallback(true) !== true) return false;
    checkCallback(false);
    return true;
  }
  callback?.();
  return callback !== undefined;
}
