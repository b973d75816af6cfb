import { checkStorePath } from '../../core/store-path';

/** Refuses a path that must not reach the disk of this machine. @throws BrainError `path_not_allowed`. */
export function checkPath(at: string): void {
  checkStorePath(at, process.platform === 'win32');
}
