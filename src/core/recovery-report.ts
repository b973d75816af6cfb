/** What start-up did with the changes that an earlier run had begun; each is a sentence or a name for the owner. */
export interface RecoveryReport {
  /** Changes that were carried through: `promote wiki/homelab/facts/mtu.md`. */
  readonly finished: readonly string[];
  /** Changes that had not begun or had failed, and of which nothing is left. */
  readonly undone: readonly string[];
  /** What a person should look at: files that were changed by others while a change was interrupted. */
  readonly attention: readonly string[];
}
