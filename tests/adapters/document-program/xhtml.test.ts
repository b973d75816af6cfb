import { formatOf } from '../../../src/core/documents/formats';
import { readAs } from '../../support/read-document';
import { refusalOf } from '../../support/refusal';

const page = (body: string, head = '') =>
  `<html xmlns="http://www.w3.org/1999/xhtml"><head>${head}</head><body>${body}</body></html>`;

const read = async (text: string | Uint8Array, name = 'a.xhtml') =>
  (await readAs('html', text, name)).markdown;

describe('XHTML', () => {
  it.each(['a.xhtml', 'a.XHT', 'a.htm', 'a.html'])('is a kind of HTML in %s', (name) =>
    expect(formatOf(name)).toEqual({ native: 'html' }),
  );

  it.each<[string, string, string]>([
    ['a title', '<p>a</p>', '<title/>'],
    ['a title with a space', '<p>a</p>', '<title />'],
    ['a script', '<p>a</p>', '<script src="x.js"/><style type="text/css"/>'],
    ['an anchor', '<p><a id="x"/>a</p>', ''],
    ['a box', '<div class="nav"/><p>a</p>', ''],
    ['a field', '<textarea/><select/><iframe src="x"/><p>a</p>', ''],
    ['emphasis', '<p><i/><b/><code/>a</p>', ''],
    ['an element of another namespace', '<p>a</p><svg><title/><path d="x"/></svg>', ''],
  ])('goes on after %s that ends at once', async (_, body, head) => {
    expect(await read(page(`${body}<h2>End</h2><p>b</p>`, head))).toBe('a\n\n## End\n\nb');
    expect(await read(`<?xml version="1.0"?>${page(`${body}<h2>End</h2><p>b</p>`, head)}`, 'a.html')).toBe(
      'a\n\n## End\n\nb',
    );
  });

  it('keeps what has no end tag in HTML either', async () => {
    expect(await read(page('<p>a<br/>b</p><hr/><p>c<img src="https://e.org/i.png" alt="i"/></p>'))).toBe(
      'a  \nb\n\n---\n\nc[i](https://e.org/i.png)',
    );
  });

  it('shows character data', async () => {
    expect(await read(page('<p>a <![CDATA[x & y]]> b</p><pre><![CDATA[if (a < b) {}]]></pre>'))).toBe(
      'a x & y b\n\n```\nif (a < b) {}\n```',
    );
  });

  it('is told by its name, its declaration or its namespace', async () => {
    const text = '<script/><a href=http://e.org/>x</a>';
    expect((await refusalOf(read(text, 'a.html'))).code).toBe('no_text');
    expect(await read(text, 'a.xhtml')).toBe('[x](http://e.org/)');
    expect(await read(`<?xml version="1.0"?>${text}`, 'a.html')).toBe('[x](http://e.org/)');
  });

  it.each(['ISO-8859-1', 'windows-1252'])('is decoded as its declaration of %s says', async (encoding) => {
    const text = `<?xml version='1.0' encoding='${encoding}'?>\n${page('<p>Größe</p>')}`;
    const bytes = new Uint8Array(Buffer.from(text, 'latin1'));
    expect(await readAs('html', bytes, 'a.xhtml')).toMatchObject({ markdown: 'Größe', warnings: [] });
  });
});
