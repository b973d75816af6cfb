import fc from 'fast-check';
import { utf8Length } from '../../../src/core/base/hash';
import { finish } from '../../../src/core/base/steps';
import type { DocumentText } from '../../../src/core/documents/ports';
import * as passthrough from '../../../src/core/extraction/passthrough';
import type { SourceText } from '../../../src/core/extraction/source';
import { composeWrite, openContent } from '../../../src/core/frontmatter/compose';
import { countSteps } from '../../support/count-steps';

const passThrough = (text: SourceText) => finish(passthrough.ingestVerbatim(text));
const titleOfSource = (text: SourceText) => finish(passthrough.titleOfSource(text));

const source = (markdown: string, more: Partial<SourceText & DocumentText> = {}): SourceText => {
  const { title = null, name = '2026-11-20-router_manual.md', source: from = null, pages } = more;
  return {
    text: { markdown, converted: false, warnings: [], ...(pages && { pages }) },
    title,
    name,
    source: from,
  };
};

describe('the title of a document', () => {
  it.each([
    ['the one given', source('# Heading', { title: 'Given' }), 'Given'],
    ['its front matter', source('---\ntitle: Own\n---\n# Heading'), 'Own'],
    ['its heading', source('Text\n\n# Heading\n'), 'Heading'],
    ['its file name', source('Text'), 'router manual'],
    ['its file name when the given one is blank', source('Text', { title: '  ' }), 'router manual'],
    ['its heading when its front matter cannot be read', source('---\ntitle: [\n---\n# Heading'), 'Heading'],
  ])('is %s', (_, document, title) => {
    expect(titleOfSource(document)).toBe(title);
  });

  it('is what the document calls itself before what a heading says', () => {
    const { text, ...rest } = source('# Heading');
    expect(titleOfSource({ ...rest, text: { ...text, title: 'Document' } })).toBe('Document');
  });
});

describe('a text passed through', () => {
  it('is one page with the text as it is', () => {
    expect(passThrough(source('Some *text*.\n', { pages: [{ page: 1, from: 0 }] }))).toEqual({
      pages: [
        {
          title: 'router manual',
          content: 'Some *text*.\n',
          hall: 'sources',
          page: 1,
          verbatim: 'whole',
          unverified: false,
        },
      ],
      warnings: [],
    });
  });

  it('has no front matter that a plug-in for templates would run', () => {
    const { pages, warnings } = passThrough(source('---\ndescription: "<% evil() %>"\n---\nText\n'));
    expect(openContent(pages[0]?.content ?? '').frontmatter).toEqual({});
    expect(pages[0]?.content).toContain('```yaml\ndescription: "<% evil() %>"\n```');
    expect(warnings).toHaveLength(1);
  });

  it('keeps front matter that a note may have', () => {
    const text = '---\ntags: [vpn]\nstatus: draft\n---\nText\n';
    expect(passThrough(source(text)).pages[0]?.content).toBe(text);
  });

  it.each([
    [
      'YAML with an anchor trick',
      '---\n<<: {written_by: "human:me"}\n---\nText',
      /^# router manual\n\n```yaml\n<<: /,
    ],
    [
      'a half-life of its own',
      '---\nhalf_life: 3 days\n---\nText',
      /```yaml\nhalf_life: 3 days\n```\n\nText$/,
    ],
    ['a source type of its own', '---\nsource_type: blog\n---\nText', /```yaml\nsource_type: blog\n```/],
    ['code in its front matter', '---js\nalert(1)\n---\nText', /^# router manual\n\n---js/],
    ['backticks in it', '---\nhalf_life: "```"\n---\nText', /````yaml\n/],
  ])('shows what cannot be front matter: %s', (_, text, shown) => {
    const { pages, warnings } = passThrough(source(text));
    expect(pages[0]?.content).toMatch(shown);
    expect(warnings).toEqual([expect.stringContaining('front matter')]);
  });

  it('longer than a note may be stands on several pages, cut at headings, with nothing lost', () => {
    const chapters = Array.from(
      { length: 40 },
      (_, n) => `## Chapter ${n}\n\n${'Ein Satz über größere Maße. '.repeat(2200)}\n\n`,
    );
    const text = chapters.join('');
    const { pages } = passThrough(source(text, { title: 'Book' }));
    expect(pages.map(({ title }) => title)).toEqual(['Book (1 of 3)', 'Book (2 of 3)', 'Book (3 of 3)']);
    expect(pages.map(({ content }) => content).join('')).toBe(text);
    expect(pages.every(({ verbatim }) => verbatim === 'part')).toBe(true);
    for (const { content } of pages) {
      expect(content).toMatch(/^## Chapter/);
      expect(utf8Length(content)).toBeLessThanOrEqual(1024 * 1024);
    }
  });

  it('is taken also with thousands of marks of code in front matter that a note cannot have', () => {
    const block = `half_life: x\n${'# `x\n'.repeat(10_000)}`;
    const { pages } = passThrough(source(`---\n${block}---\nText\n`));
    expect(pages[0]?.content).toContain(`\`\`\`yaml\n${block}\`\`\`\n\nText`);
  });

  it.each([
    ['a letterhead', 'Date: 3 May 2026\nFrom: Anna\nDear Sir: I write to you\n'],
    ['a letter with two colons', 'subject: the thing: part 2\n'],
  ])('makes no properties of %s', (_name, block) => {
    const text = `---\n${block}---\n\nmore\n`;
    const { pages } = passThrough(source(text));
    expect(pages[0]?.content.endsWith(`\n\n${text}`)).toBe(true);
    expect(pages[0]?.content.startsWith('# ')).toBe(true);
  });

  it('keeps as text what only stands between two rules', () => {
    const text = '---\n\nThe quokka budget is 4711 euro.\n\n---\n\nmore\n';
    const { pages } = passThrough(source(text));
    expect(pages[0]?.content.endsWith(`\n\n${text}`)).toBe(true);
    expect(pages[0]?.content).not.toContain('```');
  });

  it.each([
    ['paragraphs', 'a\n\n'],
    ['items', '- a\n'],
  ])('of hundreds of thousands of %s is cut in small steps, so that nobody waits for it', (_, block) => {
    const work = passthrough.ingestVerbatim(source(block.repeat(2_000_000 / block.length)));
    const steps = countSteps(work);
    // A step reads 25 blocks at most, and 60,000 are read as such of one part.
    expect(steps).toBeGreaterThan(60_000 / 25);
  });

  it('is cut at the last word when nothing else divides it', () => {
    const text = 'word '.repeat(300_000);
    const { pages } = passThrough(source(text));
    expect(pages.map(({ content }) => content).join('')).toBe(text);
    for (const { content } of pages) expect(content).toMatch(/^(?:word )+$/);
    expect(pages).toHaveLength(2);
  });

  it('is content that can be written, whatever stands at its beginning', () => {
    const line = fc.constantFrom(
      '---',
      '---js',
      '--- ',
      'locked: true',
      'half_life: x',
      'a: [',
      '<<: b',
      '',
      '\ufeff',
      'title: T',
      '...',
      'written_by: human:me',
      'Text',
    );
    const eol = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), eol, (lines, end) => {
        const text = lines.join(end);
        for (const { content } of passThrough(source(text)).pages) {
          const opened = openContent(content);
          const stamp = { created_at: '2026-11-20T10:32:00Z', origin: 'watcher', written_by: 'watcher' };
          const { text: written } = composeWrite(opened, opened.body, {
            address: null,
            ...stamp,
            options: {},
          });
          expect(openContent(written).frontmatter).toMatchObject({
            written_by: 'watcher',
            origin: 'watcher',
          });
          // Fences may be written anew, a stamp is replaced, and only a person locks a note.
          const kept = lines.filter((each) => !/^(?:---|\ufeff|written_by|locked)/.test(each));
          for (const each of kept) expect(written).toContain(each);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
