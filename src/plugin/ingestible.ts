// The service's own rule is loaded later than this is needed; a test holds the two together.

/** Folders whose notes are the service's own, or have been taken in already. */
const OWN = ['wiki', 'knowledge', 'raw', 'sessions'];
const HANDLED = ['inbox/processed', 'inbox/quarantine'];

/**
 * True for a file or folder of the vault that a person can have ingested: none of the service's own folders, nothing that was
 * handled before, nothing hidden, and not the vault as a whole.
 */
export function isIngestible(path: string): boolean {
  const folded = `${path.toLowerCase().replace(/^\/+/, '')}/`;
  if (folded === '/' || folded.startsWith('.') || folded.includes('/.')) return false;
  return ![...OWN, ...HANDLED].some((folder) => folded.startsWith(`${folder}/`));
}
