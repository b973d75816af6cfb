import * as fc from 'fast-check';
import { readText } from '../../../src/adapters/document-program/plain';
import { lost, ODD_TEXTS, ODD_TOKENS, wordsOf } from '../../support/odd-texts';
import { readAs, shownAs } from '../../support/read-document';

const composed = fc.array(fc.constantFrom(...ODD_TOKENS), { maxLength: 24 }).map((all) => all.join(''));

describe('plain text', () => {
  it.each(ODD_TEXTS)('%j is shown as it is written', (text) =>
    expect(lost(wordsOf(text), readText(text).markdown)).toEqual([]),
  );
  it('of any kind is', () => {
    fc.assert(
      fc.property(composed, (text) => expect(lost(wordsOf(text), readText(text).markdown)).toEqual([])),
      { numRuns: 2000 },
    );
  });
});

describe('the value of a table', () => {
  const csv = (text: string) => `name,value\n"a","${text.replace(/"/g, '""')}"\n`;
  it.each(ODD_TEXTS)('%j is shown as it is written', async (text) =>
    expect(lost(text.split(/\s+/).filter(Boolean), await shownAs('table', csv(text)))).toEqual([]),
  );
});

describe('a mail', () => {
  const headOf = (subject: string) =>
    `From: "A, B" <a@e.org>\nSubject: =?utf-8?B?${Buffer.from(subject).toString('base64')}?=\nTo: b@e.org\n`;
  it.each(ODD_TEXTS)('shows its subject %j as it is written', async (text) => {
    const { markdown } = await readAs('mail', `${headOf(text)}\nx`);
    expect(lost(text.split(/\s+/).filter(Boolean), markdown)).toEqual([]);
  });
  it('shows its text in any encoding and place as it is written', async () => {
    const charset = fc.constantFrom<BufferEncoding>('utf8', 'latin1');
    const place = fc.constantFrom('alone', 'mixed', 'alternative');
    await fc.assert(
      fc.asyncProperty(composed, charset, place, fc.boolean(), async (text, encoding, where, isBase64) => {
        const bytes = Buffer.from(text, encoding);
        const body = isBase64
          ? bytes.toString('base64')
          : [...bytes].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('=\n');
        const part =
          `Content-Type: text/plain; charset=${encoding === 'utf8' ? 'utf-8' : 'iso-8859-1'}\n` +
          `Content-Transfer-Encoding: ${isBase64 ? 'base64' : 'quoted-printable'}\n\n${body}\n`;
        const parts = `--b\n${part}\n--b\nContent-Type: text/html\n\n<p></p>\n--b--\n`;
        const whole = where === 'alone' ? part : `Content-Type: multipart/${where}; boundary=b\n\n${parts}`;
        const { markdown } = await readAs('mail', headOf('A') + whole);
        expect(lost(wordsOf(text.replace(/^(?:>(?!From ) ?)+/gm, '')), markdown)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the text of a mail', () => {
  const mailOf = (text: string, format: 'fixed' | 'flowed' = 'fixed') =>
    `Content-Type: text/plain; charset=utf-8; format=${format}\n` +
    `Content-Transfer-Encoding: base64\n\n${Buffer.from(text).toString('base64')}\n`;
  /** The words that a mail shows: marks of quotations fold what is behind them. */
  const written = (text: string) => wordsOf(text.replace(/^(?:>(?!From ) ?)+/gm, ''));
  it.each(ODD_TEXTS)('%j is shown as it is written', async (text) =>
    expect(lost(written(text), await shownAs('mail', mailOf(text)))).toEqual([]),
  );
  it('of any kind is, also quoted and with wrapped paragraphs', () =>
    fc.assert(
      fc.asyncProperty(composed, fc.boolean(), fc.nat(3), async (text, flowed, depth) => {
        const quoted = text.replace(/^/gm, '>'.repeat(depth) + (depth > 0 ? ' ' : ''));
        const markdown = await shownAs('mail', mailOf(quoted, flowed ? 'flowed' : 'fixed'));
        expect(lost(written(flowed ? quoted.replace(/^(>*) /gm, '$1') : quoted), markdown)).toEqual([]);
      }),
      { numRuns: 1000 },
    ));
});

/** Runs of letters and digits, which no markup of the two kinds changes but those that are left out. */
function lettersOf(text: string, without: RegExp): string[] {
  return text.replace(without, ' ').match(/[\p{L}\p{N}]+/gu) ?? [];
}

describe('reStructuredText', () => {
  /** Texts in which something has a meaning in reStructuredText. */
  const MARKED: ReadonlySet<string> = new Set([
    'Total\n====',
    'a ~~b~~ ==c== `d` 2*3*4 _e_',
    '*     C:\\temp\\_x',
    'C:\\temp\\_x \\\\server\\share \\*',
    '```js\nalert(1)\n```',
    '~~~\nx\n~~~',
    '{{x}} <%* x %> `= this.x`',
    '\\begin{x} \\(y\\) \\[z\\]',
    'R&#1. &#65 &amp, &\\#65;',
    ':smile: @a a@b.c <a@b.c>',
  ]);
  it.each(ODD_TEXTS.filter((text) => !MARKED.has(text)))('%j is shown as it is written', async (text) =>
    expect(lost(wordsOf(text), await shownAs('rst', text))).toEqual([]),
  );
  it('that escapes every mark is', async () => {
    await fc.assert(
      fc.asyncProperty(composed, async (text) => {
        const source = text.replace(/[!-/:-@[-`{-~]/g, '\\$&').replace(/\t/g, ' ');
        const words = text.split(/\s+/).filter((word) => word !== '');
        expect(lost(words, await shownAs('rst', source))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
  it('of any kind keeps its letters', async () => {
    await fc.assert(
      // The names of roles are markup.
      fc.asyncProperty(composed, async (text) =>
        expect(
          lost(
            lettersOf(text, /:[\w:+.-]+:(?=`)|(?<=`):[\w:+.-]+:|\[\^?\d\]|(?<!\S)\d+[.)](?=\s|$)/gm),
            await shownAs('rst', text),
          ),
        ).toEqual([]),
      ),
      { numRuns: 2000 },
    );
  });
});

describe('Org text', () => {
  /** Texts in which something has a meaning in Org. */
  const MARKED: ReadonlySet<string> = new Set([
    '# this line',
    'a ~~b~~ ==c== `d` 2*3*4 _e_',
    'pay $5 or $6, $$x$$',
    '*     C:\\temp\\_x',
    '| a | b |\n| --- | --- |\n| 1 | 2 |',
    '\\begin{x} \\(y\\) \\[z\\]',
  ]);
  it.each(ODD_TEXTS.filter((text) => !MARKED.has(text)))('%j is shown as it is written', async (text) =>
    expect(lost(wordsOf(text), await shownAs('org', text))).toEqual([]),
  );
  it('of any kind keeps its letters', async () => {
    await fc.assert(
      fc.asyncProperty(composed, async (text) =>
        expect(
          lost(lettersOf(text, /^\s*#(?=\s|$).*$|(?<!\S)\d+[.)](?=\s|$)/gm), await shownAs('org', text)),
        ).toEqual([]),
      ),
      { numRuns: 2000 },
    );
  });
});

describe('a document of any lines keeps every word', () => {
  /** Documents of lines with any indentation; each `@` in them is another word. */
  const documentOf = (...lines: string[]) =>
    fc
      .array(fc.tuple(fc.constantFrom(...lines, '', '', '@ @'), fc.constantFrom(0, 0, 2, 3, 3, 4, 6)), {
        maxLength: 14,
      })
      .map((all) => {
        let count = 0;
        return all
          .map(([line, indent]) => (line === '' ? '' : ' '.repeat(indent) + line))
          .join('\n')
          .replace(/@/g, () => `word${(count += 1)}x`);
      });
  const words = (text: string) => text.match(/word\d+x/g) ?? [];

  it('of reStructuredText', async () => {
    await fc.assert(
      fc.asyncProperty(
        documentOf(
          ...[
            '.. note:: @',
            '.. note::',
            '.. code-block:: python',
            '.. code-block:: @ @',
            '.. only:: @',
            '.. py:function:: @(@)',
            '.. math:: @',
          ],
          ...[
            '.. csv-table:: @',
            '.. list-table::',
            '.. table:: @',
            '.. image:: @.png',
            '.. figure:: @',
            '.. toctree::',
            '.. include:: @',
            '.. @:: @',
          ],
          ...[
            ':@: @',
            ':alt: @',
            ':header: @, "@"',
            ':caption: @',
            '* - @',
            '- @',
            '"@", @',
            '3. @',
            '(a) @',
            '@::',
            '::',
            '@ : @',
            '.. [1] @',
          ],
          ...[
            '.. [#] @',
            '.. [@] @',
            '.. |a| replace:: @',
            '.. |b| image:: @',
            '.. |c| date:: @',
            '|a| |b|_ |c| @',
            '.. _@: https://e.org/@',
            '.. _a: @',
            'a_ `@`__',
          ],
          ...[
            '__ https://e.org/@',
            '====',
            '----',
            '=== ===',
            '@   @',
            '+---------+',
            '| @ |',
            '|@',
            '-a  @',
            '--@  @',
            '>>> @',
            '*@* **@ ``@`` `@`',
            ':@2:`x`',
            '`@ <@>`_',
            '.. raw:: html',
            '.. meta::',
          ],
        ),
        async (text) => {
          // The name of a role is markup, and so is that of a place in the file; a target of a link is no text.
          const marked = text
            .replace(/:word\d+x2:|word\d+x\.png/g, ' ')
            .replace(/^ *(?:\.\. _|__).*$(?:\n +\S+$)*|<word\d+x>/gm, ' ');
          expect(lost(words(marked), await shownAs('rst', text))).toEqual([]);
        },
      ),
      { numRuns: 2000 },
    );
  });
  it('of Org', async () => {
    await fc.assert(
      fc.asyncProperty(
        documentOf(
          ...[
            '* @',
            '** TODO [#A] @ :@:',
            '#+AUTHOR: @',
            '#+STARTUP: @',
            '#+CAPTION[@]: @',
            '#+NAME: @',
            '#+begin_src sh :x @',
            '#+end_src',
            '#+begin_quote',
            '#+end_quote',
          ],
          ...[
            '#+begin_@',
            '#+end_note',
            '#+begin_note @',
            '#+begin_verse',
            '#+end_verse',
            '#+begin_example',
            '#+end_example',
            ':PROPERTIES:',
            ':END:',
            ':LOGBOOK:',
            ':@: @',
            ':@:',
          ],
          ...[
            '- @',
            '- [ ] @',
            '- @ :: @',
            '1. @',
            '| @ | @ |',
            '|---+---|',
            '#+TBLFM: @',
            ': @',
            '[fn:1] @',
            '@[fn:: @] @[fn:b:@ [@]]',
            '@[fn:1]',
            '*@ /@/ @*',
            '=@= ~@~ +@+ _@_',
          ],
          ...[
            '[[https://e.org][@]] [[@]] [[*@]] [[file:@.org][@]]',
            '$@$ \\(@\\) @\\\\',
            '\\begin{align}',
            '\\end{align}',
            '-----',
            '<<@>> {{{@}}} @',
            'CLOCK: [@]',
            '+---------+',
            '#+@: @',
          ],
        ),
        async (text) => {
          const marked = text.replace(/file:word\d+x/g, ' ');
          expect(lost(words(marked), await shownAs('org', text))).toEqual([]);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
