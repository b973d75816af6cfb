import * as fc from 'fast-check';
import {
  fileEmbed,
  fileLink,
  noteEmbed,
  noteLink,
  replaceTargets,
  type Target,
} from '../../../src/adapters/exports/tree';

function targetsIn(markdown: string): Target[] {
  const found: Target[] = [];
  replaceTargets(markdown, (target) => {
    found.push(target);
    return null;
  });
  return found;
}

describe('links of made notes', () => {
  it('name any note, part and file', () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, text, (of, part, words) => {
        const all = `a ${noteLink(of, words, part)} b ${noteEmbed(of, `^${part}`)}\n${fileLink(of)}${fileEmbed(of)}`;
        const [link, embed, file, picture] = targetsIn(all);
        expect(link).toMatchObject({ kind: 'id', of, part, isEmbed: false });
        expect(embed).toEqual({ kind: 'id', of, part: `^${part}`, words: '', isEmbed: true });
        expect(file).toEqual({ kind: 'place', of, part: '', words: '', isEmbed: false });
        expect(picture).toEqual({ kind: 'place', of, part: '', words: '', isEmbed: true });
        expect(replaceTargets(all, () => null)).toBe(all);
      }),
    );
  });

  it('keep their words, also in the cell of a table', () => {
    expect(targetsIn(noteLink('a', ' two\nwords [x] '))[0]?.words).toBe('two words x');
    expect(targetsIn('| [[id:a\\|two words]] |')).toEqual([
      { kind: 'id', of: 'a', part: '', words: 'two words', isEmbed: false },
    ]);
  });

  it('leave other links alone', () => {
    const text = '[[idea]] [[id:]] ![[place.png]] [[id:a|b|c]] [[A|id:b]]';
    expect(targetsIn(text)).toEqual([]);
  });
});
