/** The first Electron whose Node has what the server needs (web crypto among the globals, Node 20). */
const MIN_ELECTRON = 30;

/**
 * Null when this installation can run the server; else what to tell the person. Updates inside the app do not change
 * Electron: only installing anew does.
 */
export function runtimeProblem(versions: Readonly<Record<string, string | undefined>>): string | null {
  const electron = versions.electron;
  const major = Number.parseInt(electron ?? '', 10);
  if (major >= MIN_ELECTRON) return null;
  return (
    `The server cannot run in this installation of Obsidian: it is built on Electron ${electron ?? 'of an unknown version'} and ` +
    `${MIN_ELECTRON} or newer is needed. Download the installer from obsidian.md and install it over this one; your vaults stay as they are.`
  );
}
