import { titleOf } from '../../../src/core/links/title';
import { NotePreview } from '../../../src/ui/markdown/preview';
import { makeDom } from '../../support/ui/dom';

const dom = makeDom();

function shown(body: string, title = ''): HTMLElement {
  dom.show(<NotePreview body={body} title={title} />);
  return dom.container;
}

describe('the title above a note', () => {
  it.each([
    ['words', 'A long title that goes on and on '.repeat(12).trim()],
    ['one word', 'Supercalifragilistic'.repeat(15)],
    ['words far apart', 'A  long title  '.repeat(30).trim()],
  ])('draws of a first heading that the title above cuts off only the rest: %s', (_, heading) => {
    const path = 'wiki/a/facts/b.md';
    const title = titleOf({}, { title: heading }, path);
    const shownRest = shown(`# ${heading}\n\nText`, title);
    expect(shownRest.querySelector('h3')).toBeNull();
    const rest = shownRest.querySelector('.brain-note-rest')?.textContent ?? '';
    // The cut takes away a space at its end.
    expect([title + rest.slice(1), `${title} ${rest.slice(1).trim()}`]).toContain(
      heading.replace(/\s+/g, ' '),
    );
    expect(rest.startsWith('\u2026')).toBe(true);
  });

  it('draws a heading that only begins as a short title does', () => {
    expect(shown('# Title and more\n\nText', 'Title').textContent).toContain('Title and more');
  });
});

describe('the direction of what is written', () => {
  it('is that of each block itself, and of all that is nested in it', () => {
    const body = '# A\n\nB\n\n- c\n  - d\n\n> e\n\n| f |\n|---|\n| g |\n\n```\nh\n```\n';
    const auto = [...shown(body).querySelectorAll('[dir="auto"]')].map((element) => element.localName);
    expect(auto).toEqual(['h3', 'p', 'ul', 'blockquote', 'div']);
  });

  it('is not decided by words of our own', () => {
    for (const body of ['- [x] \u0623', '%%x%% \u0623']) {
      for (const own of shown(body).querySelectorAll('.brain-sr, .brain-hidden')) {
        expect(own.closest('[dir]')?.getAttribute('dir')).toBe('ltr');
      }
    }
  });
});
