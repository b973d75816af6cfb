import fc from 'fast-check';
import { utf8Length } from '../../../src/core/base/hash';
import { processedName, processedPath } from '../../../src/core/documents/paths';
import { UNLINKABLE } from '../../../src/core/markdown/link-words';
import { checkStorePath } from '../../../src/core/ports/ports';

it.each([
  ['report.pdf', 1, 'report.pdf'],
  ['report.pdf', 2, 'report-2.pdf'],
  ['note.md', 1, 'note.md.txt'],
  ['note.md', 3, 'note-3.md.txt'],
  ['NOTE.MD', 1, 'NOTE.MD.txt'],
  ['NOTE.mdown', 1, 'NOTE.mdown.txt'],
  ['README', 2, 'README-2.txt'],
  ['shot.PNG', 2, 'shot-2.PNG'],
  ['song.mp3', 1, 'song.mp3'],
  ['board.canvas', 2, 'board-2.canvas'],
  ['costs.xlsx', 1, 'costs.xlsx'],
  ['costs.xlsm', 1, 'costs.xlsm.txt'],
  ['old.doc', 1, 'old.doc.txt'],
  ['page.html', 2, 'page-2.html'],
  ['x.png.webloc', 1, 'x.png.webloc.txt'],
  ['x.exe.', 1, 'x.exe.txt'],
  ['x.exe ', 1, 'x.exe.txt'],
  ['x.pn\u200bg', 1, 'x.pn\u200bg.txt'],
  ['gnp\u202e.exe', 1, 'gnp-.exe.txt'],
  ...'fileloc webloc terminal scpt mobileconfig settingcontent-ms msc jnlp py iso docm constructor'
    .split(' ')
    .map((kind): [string, number, string] => [`x.${kind}`, 1, `x.${kind}.txt`]),
  ['report [final] #2.pdf', 1, 'report -final- -2.pdf'],
  ['a/b\\c:d.txt', 1, 'a-b-c-d.txt'],
  ['.hidden.txt', 1, 'hidden.txt'],
  ['..', 1, 'file.txt'],
  ['aaa...', 1, 'aaa.txt'],
  ['東京.pdf', 2, '東京-2.pdf'],
  ['con.pdf', 1, 'file-con.pdf'],
  ['AUX.tar.md', 2, 'file-AUX.tar-2.md.txt'],
  ['console.pdf', 1, 'console.pdf'],
  // Listings pass over the names of conflict copies, and what was ingested has to be listed.
  ['plan_HOST_Nov-20-2026_Conflict.md', 1, 'plan-HOST-Nov-20-2026-Conflict.md.txt'],
  ['plan.Conflict.pdf', 1, 'plan-Conflict.pdf'],
  ['plan (HOST の競合コピー 2026-11-20).pdf', 1, 'plan -HOST の競合コピー 2026-11-20-.pdf'],
])('keeps %s, number %i, as %s', (name, n, expected) => {
  expect(processedName(name, n)).toBe(expected);
});

it('is a path that stores take and links can hold, below the limits of file systems, for any name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 1, max: 99 }), (name, n) => {
      const path = processedPath('2026-11-20', name, n);
      checkStorePath(path, true);
      expect(UNLINKABLE.test(path)).toBe(false);
      expect(path.split('/')).toHaveLength(4);
      expect(path).not.toMatch(/\.md$/i);
      expect(utf8Length(path.split('/').at(-1) ?? '')).toBeLessThanOrEqual(255);
    }),
    { numRuns: 1000 },
  );
});
