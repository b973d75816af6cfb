import { Platform } from 'obsidian';
import { checkStorePath } from '../../core/store-path';

/** Refuses a path that must not reach the vault of this app. @throws BrainError `path_not_allowed`. */
export function checkPath(at: string): void {
  checkStorePath(at, Platform.isWin);
}

/** The folders that a path leads through, outermost first: `a`, `a/b` for `a/b/c.md`. */
export function foldersOf(at: string): string[] {
  const segments = at.split('/').slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}
