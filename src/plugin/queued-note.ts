/** True for a note that awaits review: directly in the queue folder, not below it (rejected notes lie in `raw/rejected/`). */
export function isQueued(path: string): boolean {
  return /^raw\/[^/]+\.md$/.test(path);
}

/** True for a note that was rejected and can be taken back. */
export function isRejected(path: string): boolean {
  return /^raw\/rejected\/.+\.md$/.test(path);
}

/** True for a file whose versions the service may know. */
export function isNote(path: string): boolean {
  return path.endsWith('.md');
}
