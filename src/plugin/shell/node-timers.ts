/**
 * Node's timers, which the build puts in place of the globals throughout `main.js`. Bundled Node libraries expect timers
 * that are objects (`.unref()`); in a window of the app the globals return numbers and are throttled in the background.
 */
export { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
