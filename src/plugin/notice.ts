/** What this version says wherever a person looks for the server inside Obsidian. */
export const SERVER_NOTICE =
  'The server inside Obsidian arrives with the next version; run `brain serve` for now.';
