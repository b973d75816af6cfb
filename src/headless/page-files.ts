import type { PageFiles } from '../doors/page';

// esbuild.config.mjs puts the bundled page here, so that one file is the whole program.
declare const BRAIN_PAGE: PageFiles | undefined;

/** The files of the web page; null where the source runs without having been built. */
export function pageFiles(): PageFiles | null {
  return typeof BRAIN_PAGE === 'undefined' ? null : BRAIN_PAGE;
}
