// The service's own rule is loaded later than these are needed; a test holds the two together.

/** True for a note that awaits review: anywhere below the queue folder but among the rejected ones. */
export function isQueued(path: string): boolean {
  return isIn('raw/', path) && !isIn('raw/rejected/', path);
}

/** True for a note that was rejected and can be taken back. */
export function isRejected(path: string): boolean {
  return isIn('raw/rejected/', path);
}

/** True for a file whose versions the service may know. */
export function isNote(path: string): boolean {
  return path.endsWith('.md');
}

/** The first folder is known by its exact name; what lies below it by any spelling, as on most disks. */
function isIn(folder: string, path: string): boolean {
  const isBelow = path.startsWith('raw/') && path.toLowerCase().startsWith(folder);
  return isBelow && isNote(path) && !path.includes('/.') && !/\/_index\.md$/i.test(path);
}
