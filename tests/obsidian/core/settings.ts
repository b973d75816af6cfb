/** What a person, or the luck of the day, can set on this host. All of it may be changed in the middle of a test. */
export interface HostSettings {
  /** "Deleted files" of the app: into the system's trash, into `.trash` of the vault, or gone. */
  trash: 'system' | 'local' | 'none';
  /** False when the system refuses to take files into its trash. */
  systemTrashWorks: boolean;
  /** Milliseconds until the host notices what another program, or its own adapter, did to a file. */
  outsideDelay: number;
  /** How many times `modify` fires again, a little later, after each change of a file. */
  repeatedModify: number;
  /** True when `Vault.process` hands the text over without its byte order mark, as `Vault.read` does. */
  processStripsBom: boolean;
}

export const DEFAULT_SETTINGS: Readonly<HostSettings> = {
  trash: 'system',
  systemTrashWorks: true,
  outsideDelay: 20,
  repeatedModify: 0,
  processStripsBom: false,
};
