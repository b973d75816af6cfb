/**
 * Bundled Node libraries expect timers that are objects (`.unref()`); in an app window the globals return numbers
 * and are slowed down in the background. The build puts these in the place of the globals throughout `main.js`.
 */
export { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
