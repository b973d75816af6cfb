// Bundles the program that reads documents in a thread of its own (src/adapters/exports/program.ts) into one text, which
// both bundles carry.  node scripts/document-program.mjs prints it, for tests that run from the sources.
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { makeProgram } from './text-program.mjs';

const PDFJS = /[\\/]pdfjs-dist[\\/]legacy[\\/]build[\\/]pdf\.worker\.mjs$/;

/** Bytes that one part of a PDF file may unpack to. What a program packs by itself stays far below. */
const MAX_UNPACKED = 256 * 1024 * 1024;

/** What counts parts over MAX_UNPACKED and damage, for pdf-open.ts. */
const COUNT_BOMB = 'WorkerMessageHandler.bombs = (WorkerMessageHandler.bombs ?? 0) + 1;';
const COUNT_DAMAGE = 'WorkerMessageHandler.damages = (WorkerMessageHandler.damages ?? 0) + 1;';

/**
 * What pdf.js is not to do, as pairs of what it has and what it gets; each must be met exactly once.
 *
 * A kilobyte of a PDF file can unpack to gigabytes, which no limit of a thread counts: they lie outside of its heap. So both
 * places that unpack get a limit. And nothing makes code out of text, whatever a file says.
 */
const PDFJS_SWAPS = [
  [
    'const buffer2 = new Uint8Array(size);\n    buffer2.set(buffer);',
    `if (size > ${MAX_UNPACKED}) {
      ${COUNT_BOMB}
      throw new RangeError("A part of the file unpacks to too much.");
    }
    const buffer2 = new Uint8Array(size);\n    buffer2.set(buffer);`,
  ],
  [
    'totalLength += chunk.byteLength;\n      }\n      const data = new Uint8Array(totalLength);',
    `totalLength += chunk.byteLength;
        if (totalLength > ${MAX_UNPACKED}) {
          ${COUNT_BOMB}
          throw new RangeError("A part of the file unpacks to too much.");
        }
      }\n      const data = new Uint8Array(totalLength);`,
  ],
  [`return Function('return require("' + name + '")')();`, 'return undefined;'],
  [`(function () { return this; })() || Function('return this')();`, 'globalThis;'],
  ['    new Function("");\n    return true;', '    return false;'],
  // Arabic and Hebrew are put into the order of reading where whole lines are known (pdf-bidi.ts). The letters of one
  // glyph are turned round, as the glyphs of a line lie in the order of their places.
  [
    'const bidiResult = bidi(text, -1, textChunk.vertical);',
    `text = textChunk.str
        .map((glyph) => (glyph.length > 1 && /[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc]/.test(glyph) ? [...glyph].reverse().join("") : glyph))
        .join("");
      const bidiResult = { str: text, dir: "ltr" };`,
  ],
  // A letter that is drawn again nearly at its place is a bold one or its shadow, not two. Its place is known here alone: drawn
  // letter by letter, the runs would read "BBOOLLDD".
  [
    '    function buildTextContentItem({',
    `    const drawn = new Map();
    function isDrawnAgain(glyph, width) {
      const [, , c, d, x, y] = getCurrentTextTransform();
      const size = Math.hypot(c, d);
      const near = Math.min(0.15 * size, (0.5 * size * Math.abs(width)) / Math.abs(textState.fontSize));
      if (!(near > 0)) return false;
      const cellOf = (left, bottom) =>
        glyph.unicode + " " + Math.floor(left / size) + " " + Math.floor(bottom / size);
      for (const left of [x - near, x + near])
        for (const bottom of [y - near, y + near]) {
          const before = drawn.get(cellOf(left, bottom)) ?? [];
          if (before.some((place) => Math.hypot(place[0] - x, place[1] - y) < near)) return true;
        }
      if (drawn.size > 100000) drawn.clear();
      const cell = cellOf(x, y);
      if (!drawn.has(cell)) drawn.set(cell, []);
      drawn.get(cell).push([x, y]);
      return false;
    }
    function buildTextContentItem({`,
  ],
  [
    '        if (!category.isZeroWidthDiacritic && !compareWithLastPosition(scaledDim)) {',
    `        if (!category.isZeroWidthDiacritic && isDrawnAgain(glyph, scaledDim)) {
          if (font.vertical) textState.translateTextMatrix(0, scaledDim - charSpacing);
          else textState.translateTextMatrix((scaledDim + charSpacing) * textState.textHScale, 0);
          continue;
        }
        if (!category.isZeroWidthDiacritic && !compareWithLastPosition(scaledDim)) {`,
  ],
  // A damaged page does not end the search for the pages after it.
  [
    'addPageError(new FormatError("Pages tree contains circular reference."));\n          break;',
    'addPageError(new FormatError("Pages tree contains circular reference."));\n          queueItem.posInKids++; continue;',
  ],
  [
    'obj = await xref.fetchAsync(kidObj);\n        } catch (ex) {\n          addPageError(ex);\n          break;',
    'obj = await xref.fetchAsync(kidObj);\n        } catch (ex) {\n          addPageError(ex);\n          queueItem.posInKids++; continue;',
  ],
  [
    'addPageError(new FormatError("Page dictionary kid reference points to wrong type of object."));\n        break;',
    'addPageError(new FormatError("Page dictionary kid reference points to wrong type of object."));\n        queueItem.posInKids++; continue;',
  ],
  // Damage after which pdf.js goes on is counted, so that the reader can tell of it.
  ['#endsStreamOnError(err) {\n    info(err);', `#endsStreamOnError(err) {\n    ${COUNT_DAMAGE}`],
  ['warn(`getContentStream - ignoring sub-stream (${objId}): "${reason}".`);', COUNT_DAMAGE],
  ['warn(`getTextContent - ignoring XObject: "${reason}".`);', COUNT_DAMAGE],
  ['warn(`getTextContent - ignoring errors during "${task.name}" ` + `task: "${reason}".`);', COUNT_DAMAGE],
  [
    'return new Function("src", "srcOffset", "dest", "destOffset", compiled);',
    'throw new Error("unreachable");',
  ],
];

/**
 * The source files of pdf.js that are left out: forms made of XFA, the fonts for them, the editor of pages, what saves a changed file,
 * what turns pictures, patterns and glyphs into pixels, and Brotli with its dictionary, which no version of PDF has yet.
 */
const LEFT_OUT =
  /^;\/\/ \.\/(?:external\/(?:brotli|jbig2|openjpeg|qcms)\/|src\/core\/(?:xfa\/|xfa_fonts|\w+_factors\.js|liberationsans_widths|editor\/pdf_editor|(?:arithmetic_decoder|ccitt|font_renderer|font_substitutions|icc_colorspace|image|image_resizer|jbig2|jbig2_ccittFax_wasm|jpg|jpx|pattern|writer)\.js))/;

/** Stands for those files where pdf.js names them: the reader opens no document with XFA switched on, and draws none. */
const STAND_INS = `
const getXfaFontName = () => null;
const getXfaFontDict = () => null;
class XFAFactory { static getRichTextAsHtml() { return null; } }
const BrotliDecode = () => { throw new Error("Brotli is not read."); };
class PDFEditor { extractPages() { throw new Error("unreachable"); } }
class Drawn {
  static isUsable = false;
  static setOptions() {}
  static cleanup() {}
  constructor() { throw new Error("unreachable"); }
}
const [CCITTFaxDecoder, CmykICCBasedCS, IccColorSpace, ImageResizer, JBig2CCITTFaxWasmImage] = Array(5).fill(Drawn);
const [Jbig2Image, JpegImage, JpxImage, Pattern] = Array(4).fill(Drawn);
// The glyphs of Type 3 fonts are run for their boxes; what they draw is not looked at.
const FontRendererFactory = { create: () => ({ hasBuiltPath: () => true }) };
class PDFImage extends Drawn { static async createMask() { return { isSingleOpaquePixel: true }; } }
// Fonts of the system stand for those of a file only where letters are drawn.
const getFontSubstitution = () => null;
const [incrementalUpdate, writeDict, writeObject] = Array(3).fill(async () => { throw new Error("unreachable"); });
const clearPatternCaches = () => {};
const getTilingPatternIR = () => { throw new Error("unreachable"); };
`;

const boundedPdf = {
  name: 'bounded-pdf',
  setup(builder) {
    builder.onLoad({ filter: PDFJS }, async ({ path: file }) => {
      const sections = (await readFile(file, 'utf8')).split(/^(?=;\/\/ \.\/)/m);
      const kept = sections.filter((section) => !LEFT_OUT.test(section));
      let contents = STAND_INS + kept.join('');
      const errors =
        kept.length < sections.length
          ? []
          : [{ text: 'pdf.js no longer names its source files: mend scripts/document-program.mjs.' }];
      for (const [has, gets] of PDFJS_SWAPS) {
        if (contents.split(has).length !== 2)
          errors.push({ text: `pdf.js no longer has ${has}: mend scripts/document-program.mjs.` });
        contents = contents.replace(has, () => gets);
      }
      return { contents, errors };
    });
  },
};

/**
 * postal-mime would make HTML of text and text of HTML, with a table of 46 kB; `mail-parts.ts` takes its parts alone. A name that
 * its other files import and that is missing here fails the build.
 */
const partsOfMail = {
  name: 'parts-of-mail',
  setup(builder) {
    const names = ['textToHtml', 'htmlToText', 'formatTextHeader', 'formatHtmlHeader'];
    builder.onLoad({ filter: /[\\/]postal-mime[\\/]dist[\\/]esm[\\/]text-format\.js$/ }, () => ({
      contents: names
        .map((name) => `export function ${name}() { throw new Error('unreachable'); }`)
        .join('\n'),
    }));
  },
};

/** Makes the program of documents. As a script it defines `brainDocuments`. */
export function makeDocumentProgram() {
  return makeProgram({
    entryPoints: ['src/adapters/exports/program.ts'],
    globalName: 'brainDocuments',
    // The reader of tables would take it for a kind of input that is not used.
    external: ['stream'],
    plugins: [boundedPdf, partsOfMail],
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { text } = await makeDocumentProgram();
  process.stdout.write(text);
}
