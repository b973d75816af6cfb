/** True when Enter on the target has a meaning of its own: it presses, follows, or opens something. */
export function isPressable(target: EventTarget | null): boolean {
  if (target === null || !('closest' in target) || typeof target.closest !== 'function') return false;
  // What has `closest` is an Element, of whichever window.
  return (target as Element).closest('button, a[href], input, select, textarea, summary') !== null;
}
