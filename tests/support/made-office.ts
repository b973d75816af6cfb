import { strToU8, zipSync } from 'fflate';

/** Parts of an Office file by their names. */
type Parts = Readonly<Record<string, string | Uint8Array>>;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/';

/** Returns parts as a zip archive. */
export function zipped(parts: Parts): Uint8Array<ArrayBuffer> {
  const files = Object.entries(parts).map(([name, part]) => [
    name,
    typeof part === 'string' ? strToU8(part) : part,
  ]);
  return new Uint8Array(zipSync(Object.fromEntries(files)));
}

/** Returns text for XML. */
export function inXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** Returns what a part refers to: rows of id, type and target; a target with a scheme is outside of the file. */
export function relations(...rows: readonly (readonly [id: string, type: string, target: string])[]): string {
  const list = rows.map(([id, type, target]) => {
    const mode = /^[a-z]+:/i.test(target) ? ' TargetMode="External"' : '';
    return `<Relationship Id="${id}" Type="${TYPE}${type}" Target="${inXml(target)}"${mode}/>`;
  });
  return `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join('')}</Relationships>`;
}

/** Returns the part that says who wrote a file, and when. */
export function coreProperties(title: string, author: string): string {
  return `${XML}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>${inXml(title)}</dc:title><dc:creator>${inXml(author)}</dc:creator><dcterms:created>2024-03-01T09:00:00Z</dcterms:created><dcterms:modified>2024-03-02T10:30:00Z</dcterms:modified></cp:coreProperties>`;
}

const WORD = [
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"',
  'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"',
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"',
  'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"',
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
  'xmlns:v="urn:schemas-microsoft-com:vml"',
].join(' ');

/** Returns a part of WordprocessingML with this root element. */
export function wordPart(root: string, content: string): string {
  return `${XML}<w:${root} ${WORD}>${content}</w:${root}>`;
}

/** Returns a Word document with this body; other parts are named as below `word/`, relations as rows. */
export function docx(
  body: string,
  parts: Parts = {},
  rows: readonly (readonly [id: string, type: string, target: string])[] = [],
): Uint8Array<ArrayBuffer> {
  const own = Object.entries(parts).map(([name, part]) => [name.includes('/') ? name : `word/${name}`, part]);
  return zipped({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations(['r1', 'officeDocument', 'word/document.xml']),
    'word/_rels/document.xml.rels': relations(
      ['s', 'styles', 'styles.xml'],
      ['n', 'numbering', 'numbering.xml'],
      ['f', 'footnotes', 'footnotes.xml'],
      ['c', 'comments', 'comments.xml'],
      ...rows,
    ),
    'word/document.xml': wordPart('document', `<w:body>${body}</w:body>`),
    ...Object.fromEntries(own),
  });
}

/** Returns a paragraph of WordprocessingML with a run of text. */
export function para(text: string, properties = '', look = ''): string {
  return `<w:p><w:pPr>${properties}</w:pPr><w:r><w:rPr>${look}</w:rPr><w:t xml:space="preserve">${inXml(text)}</w:t></w:r></w:p>`;
}

/** Returns a workbook: for each sheet its name and its XML, or an attribute `state` before it. */
export function xlsx(
  sheets: readonly { readonly name: string; readonly state?: string; readonly xml: string }[],
  parts: Parts = {},
): Uint8Array<ArrayBuffer> {
  const names = sheets.map(
    ({ name, state }, at) =>
      `<sheet name="${inXml(name)}" sheetId="${at + 1}"${state === undefined ? '' : ` state="${state}"`} r:id="r${at + 1}"/>`,
  );
  return zipped({
    '_rels/.rels': relations(['r1', 'officeDocument', 'xl/workbook.xml']),
    'xl/_rels/workbook.xml.rels': relations(
      ...sheets.map((_, at) => [`r${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`] as const),
      ['strings', 'sharedStrings', 'sharedStrings.xml'],
      ['styles', 'styles', 'styles.xml'],
    ),
    'xl/workbook.xml': `${XML}<workbook ${SHEET}><sheets>${names.join('')}</sheets></workbook>`,
    ...Object.fromEntries(
      sheets.map(({ xml }, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `${XML}<worksheet ${SHEET}>${xml}</worksheet>`,
      ]),
    ),
    ...parts,
  });
}

const SHEET =
  'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';

/** Returns a part of SpreadsheetML with this root element. */
export function sheetPart(root: string, content: string): string {
  return `${XML}<${root} ${SHEET}>${content}</${root}>`;
}

/** Returns rows of cells as the data of a sheet; a text that is XML is taken as it is. */
export function cells(rows: readonly (readonly string[])[]): string {
  const row = (values: readonly string[]) =>
    values
      .map((value) =>
        value.startsWith('<c') ? value : `<c t="inlineStr"><is><t>${inXml(value)}</t></is></c>`,
      )
      .join('');
  return `<sheetData>${rows.map((values) => `<row>${row(values)}</row>`).join('')}</sheetData>`;
}
