import * as fc from 'fast-check';
import Papa from 'papaparse';
import { separated } from '../../../src/adapters/document-program/separated';
import { readAs } from '../../support/read-document';

const table = (...rows: string[]) =>
  rows.flatMap((row, at) => (at === 0 ? [row, row.replace(/[^|]+/g, ' --- ')] : [row])).join('\n') + '\n';

describe('a table', () => {
  it.each<[string, string, string]>([
    ['Excel names the delimiter of', 'sep=;\na;b\n1,5;2', table('| a | b |', '| 1,5 | 2 |')],
    ['a quoted line names the delimiter of', '"sep=^"\na^b\n1^2', table('| a | b |', '| 1 | 2 |')],
    [
      'has decimal commas',
      'Name;Preis\nA;1,5\nB;2,5',
      table('| Name | Preis |', '| A | 1,5 |', '| B | 2,5 |'),
    ],
    ['is all decimal commas', '1,5;2,5\n3,5;4,5', table('| 1,5 | 2,5 |', '| 3,5 | 4,5 |')],
    ['is one column of decimal commas', 'Preis\n1,5\n2,5', table('| Preis |', '| 1,5 |', '| 2,5 |')],
    [
      'has names with commas',
      'Name;Ort\nHill, Ada;X\nB;Y',
      table('| Name | Ort |', '| Hill, Ada | X |', '| B | Y |'),
    ],
    [
      'has lists between commas',
      'id,tags\n1,a;b\n2,c;d',
      table('| id | tags |', '| 1 | a;b |', '| 2 | c;d |'),
    ],
    ['has bars', 'a|b\n1|x,y\n2|z', table('| a | b |', '| 1 | x,y |', '| 2 | z |')],
    ['has bars and tabs in a line', 'a\tb\n1\t2|3', table('| a | b |', '| 1 | 2\\|3 |')],
    ['has one column', 'a\nx y\nz', table('| a |', '| x y |', '| z |')],
    ['has a marked head', '#CHROM\tPOS\n1\t2', table('| \\#CHROM | POS |', '| 1 | 2 |')],
    ['has colours', '#ff0000,red\n#00ff00,green', table('| \\#ff0000 | red |', '| \\#00ff00 | green |')],
    [
      'has a head shorter than its rows',
      'a,b\n"x\ny",2,3\n1,2',
      table('| a | b |  |', '| x<br>y | 2 | 3 |', '| 1 | 2 |  |'),
    ],
    [
      'has names of rows, but none for them',
      'a,b\nx,1,2\ny,3,4',
      table('| a | b |  |', '| x | 1 | 2 |', '| y | 3 | 4 |'),
    ],
    ['holds JSON', 'k,v\n1,"{""t"":""Z\\u00fcrich""}"', table('| k | v |', '| 1 | {"t":"Zürich"} |')],
  ])('that %s: %#', async (_, csv, markdown) =>
    expect(await readAs('table', csv, 'a.csv')).toEqual({ markdown, warnings: [] }),
  );

  it.each<[string, string, string, number]>([
    [
      'comments',
      '# made by x, v2\n#\n\nid,name,qty\n1,a,"x # y"\n# end',
      '\\# made by x, v2\n\\#\n\n' + table('| id | name | qty |', '| 1 | a | x # y |', '| # end |  |  |'),
      2,
    ],
    [
      'a report',
      'Sales report\nGenerated on;2024-01-02\nBy;*Bob*\n\nRegion;Q1;Q2;Q3\nN;1;2;3\nS;4;5;6',
      'Sales report\nGenerated on;2024-01-02\nBy;\\*Bob\\*\n\n' +
        table('| Region | Q1 | Q2 | Q3 |', '| N | 1 | 2 | 3 |', '| S | 4 | 5 | 6 |'),
      3,
    ],
    [
      'a report as wide as the table',
      'Report\nBy,Bob\n\nname,qty\nX,3\nY,4',
      'Report\nBy,Bob\n\n' + table('| name | qty |', '| X | 3 |', '| Y | 4 |'),
      2,
    ],
    [
      'facts without a gap',
      'Report,Sales\nDate,2024\na,b,c\n1,2,3\n4,5,6',
      'Report,Sales\nDate,2024\n\n' + table('| a | b | c |', '| 1 | 2 | 3 |', '| 4 | 5 | 6 |'),
      2,
    ],
    [
      'a title and empty values',
      ',,\nTitle,,\na,b,c\n1,2,3',
      'Title\n\n' + table('| a | b | c |', '| 1 | 2 | 3 |'),
      1,
    ],
  ])('begins below %s', async (_, csv, markdown, lines) =>
    expect(await readAs('table', csv, 'a.csv')).toEqual({
      markdown,
      warnings: [
        expect.stringMatching(lines === 1 ? /^One line above/ : new RegExp(`^${lines} lines above`)),
      ],
    }),
  );

  it('keeps every value, whatever is above it', async () => {
    const value = fc.constantFrom('', 'a1', 'b2', '# c3', '#d4', '1,5', 'e;f', 'g h', 'i\tj');
    const row = fc.array(value, { minLength: 1, maxLength: 5 });
    const delimiter = fc.constantFrom(',', ';', '\t', '|');
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), delimiter, async (rows, between) => {
        // A file without any text is refused.
        fc.pre(rows.flat().some((each) => each !== ''));
        const quoted = rows.map((one) =>
          one.map((each) => (/[,;\t|]/.test(each) ? `"${each}"` : each)).join(between),
        );
        const { markdown } = await readAs('table', quoted.join('\n'), 'a.csv');
        const shown = markdown.replace(/\\/g, '').replace(/\s+/g, ' ');
        for (const one of rows.flat()) expect(shown).toContain(one.replace(/\s+/g, ' '));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('delimiter-separated values', () => {
  const pieces = fc.constantFrom('a', 'b c', ',', ',', '"', '""', '\n', '\n', ' ', ';', '');
  it('are split as Papa Parse splits them', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), fc.constantFrom(',', ';'), (all, delimiter) => {
        // Papa Parse takes no value for a quoted one that begins with a blank.
        const text = all.join('').replace(/ +(?=")/g, '');
        const { data, errors } = Papa.parse<string[]>(text, { delimiter });
        const { rows, broken } = separated(text, delimiter);
        const isBroken = errors.some(({ type }) => type === 'Quotes');
        // The two have other blank rows at the end of a text.
        const real = (lines: readonly (readonly string[])[]) =>
          lines.filter((row) => row.join('') !== '' || row.length > 1);
        if (!isBroken) expect([broken, real(rows)]).toEqual([0, real(data)]);
      }),
      { numRuns: 5000 },
    );
  });

  it('keep all of a text whose quotation marks are wrong', () => {
    expect(separated('a,"b "c" d",e\n"f,g\nh', ',')).toEqual({
      rows: [['a', 'b "c" d', 'e'], ['f,g\nh']],
      broken: 2,
    });
  });

  it('may have blanks around their quotation marks', () => {
    expect(separated('a, "b, c" , d\n "e", "f,  "g" h', ',')).toEqual({
      rows: [
        ['a', 'b, c', ' d'],
        ['e', ' "f', '  "g" h'],
      ],
      broken: 0,
    });
  });

  it('are read as far as is asked, with other marks too', () => {
    expect(separated('a\nb\nc', ',', '"', 2).rows).toEqual([['a'], ['b']]);
    expect(separated(`a,'b, ''c'''`, ',', `'`).rows).toEqual([['a', `b, 'c'`]]);
  });
});
