import type { Debouncer } from 'obsidian';

/** Calls back once after a pause. `resetTimer` makes every further call begin the pause anew; else the first one counts. */
export function debounce<T extends unknown[], V>(
  cb: (...args: [...T]) => V,
  timeout = 0,
  resetTimer = false,
): Debouncer<T, V> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let last: [...T] | null = null;
  const fire = (): V | void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const args = last;
    last = null;
    return args === null ? undefined : cb(...args);
  };
  const debounced = (...args: [...T]): Debouncer<T, V> => {
    last = args;
    if (timer !== null && resetTimer) clearTimeout(timer);
    if (timer === null || resetTimer) timer = setTimeout(fire, timeout);
    return debouncer;
  };
  const debouncer: Debouncer<T, V> = Object.assign(debounced, {
    cancel: (): Debouncer<T, V> => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      last = null;
      return debouncer;
    },
    run: fire,
  });
  return debouncer;
}
