import { UsageError } from '../../../src/headless/terminal/io';
import { checkPlace } from '../../../src/headless/server/place';
import { withTempFolder } from '../../support/temp-folder';

const WINDOWS = { SystemRoot: 'C:\\Windows', ProgramFiles: 'C:\\Program Files' };

it.each(['C:\\', 'D:\\', 'C:\\Windows', 'c:\\windows\\System32\\notes', 'C:\\Program Files\\Brain'])(
  'refuses %s on Windows',
  async (folder) => {
    await expect(checkPlace(folder, WINDOWS, 'win32')).rejects.toThrow(UsageError);
  },
);

it.each(['D:\\notes', 'C:\\Users\\ada\\brain', 'C:\\WindowsNotes'])('takes %s on Windows', async (folder) => {
  await expect(checkPlace(folder, WINDOWS, 'win32')).resolves.toMatchObject({ isHome: false });
});

it.each(['/System/brain', '/Library', '/Users', '/private/tmp', '/home', '/dev/shm'])(
  'refuses %s where the separator is a slash',
  async (folder) => {
    await expect(checkPlace(folder, {}, 'darwin')).rejects.toThrow(
      'which is no place for a vault. Name a folder',
    );
  },
);

it.each(['/dev/shm/brain', '/srv/brain', '/data', '/procurement', '/usr/local/share/brain', '/home/ada/etc'])(
  'takes %s where the separator is a slash',
  async (folder) => {
    await expect(checkPlace(folder, {}, 'linux')).resolves.toMatchObject({ isHome: false });
  },
);

it('takes a folder that does not exist yet', () =>
  withTempFolder(async (root) => {
    const { isHome } = await checkPlace(`${root}/a/b`, {});
    expect(isHome).toBe(false);
  }));
