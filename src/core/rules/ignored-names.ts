/**
 * The copies that sync programs put beside a file which two devices changed, by all that these programs write: a note whose
 * name only speaks of such copies is a note.
 */
const CONFLICTS = [
  /\.sync-conflict-\d{8}/i, // Syncthing
  // Dropbox, Nextcloud, and Obsidian Sync: "(Anna's conflicted copy 2026-11-20)", "(Conflicted copy laptop 202611201032)",
  // where the names of persons and devices may have brackets of their own: "(Conflicted copy MacBook (work) 202611201032)"
  /\((?:(?:[^()]|\([^()]*\))* )?conflicted copy (?:[^()]|\([^()]*\))*\d{4}-?\d{2}-?\d{2}(?:[^()]|\([^()]*\))*\)/i,
  /_conflict-\d{8}-\d{6}/i, // ownCloud
  /\(SFConflict [^()]*\d{4}-\d{2}-\d{2}-\d{2}-\d{2}-\d{2}\)/, // Seafile
  // Nextcloud and Dropbox, for names that differ in case alone, or in how a letter is spelled
  /\((?:Case|Unicode Encoding|White ?Space|Selective Sync) Conflict(?: \d+)?\)/i,
  /\(case clash from [^()]*\)/i,
  /\.Conflict\d*(?=\.[^.]+$|$)/, // Resilio Sync
  // Unison: "(conflict 1 from laptop on 2026-11-20)", "(copy: conflict on 2026-11-20)"
  /\((?:copy: )?conflict(?: #?\d+)?(?: from [^()]+)? on \d{4}-\d{2}-\d{2}[^()]*\)/i,
  /\(copy: conflict[^()]*\)|\(conflict #?\d+ from [^()]+\)/i,
  /[([]conflicted(?: \d+)?[)\]]\.[^.]+$/i, // pCloud
  /\[Conflict(?: \d+)?\]\.[^.]+$|_conf\(\d+\)\.[^.]+$/, // Google Drive
  // Box, FileCloud and others: the word and the very second. What these and OneDrive also write, such as "plan (1).md" and
  // "plan-LAPTOP.md", is what a person may call a note, and so is one.
  /\((?:[^()]|\([^()]*\))*conflict(?:[^()]|\([^()]*\))*\d{4}-\d{2}-\d{2}[-_ T]\d{2}[-.]?\d{2}[-.]?\d{2}\)/i,
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
