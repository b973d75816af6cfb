/** The copies that sync programs put beside a file which two devices changed. */
const CONFLICTS = [
  /\.sync-conflict-/i, // Syncthing
  /conflicted copy/i, // Dropbox, and Obsidian Sync with "(Conflicted copy …)"
];

const IGNORED = [
  /^\./, // hidden: .obsidian, .trash, .git, .DS_Store, iCloud's placeholders, our own .~ temporaries
  /^~\$/, // lock files of office programs
  /^desktop\.ini$/i,
  /\.icloud$/i,
  ...CONFLICTS,
];

/**
 * True for a file or folder name (one path segment) that is no note of the person's: hidden, made by the
 * system, or the conflict copy of a sync program. Listings, watchers and queues all pass over these.
 */
export function isIgnoredName(name: string): boolean {
  return IGNORED.some((pattern) => pattern.test(name));
}

/** True for the name of a conflict copy, which a person should look at: it may hold what the note has lost. */
export function isConflictName(name: string): boolean {
  return CONFLICTS.some((pattern) => pattern.test(name));
}
