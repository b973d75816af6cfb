/** The kinds of files that this program reads itself. */
export type NativeKind =
  | 'markdown'
  | 'text'
  | 'log'
  | 'html'
  | 'table'
  | 'json'
  | 'jsonl'
  | 'notebook'
  | 'mail'
  | 'cards'
  | 'calendar'
  | 'org'
  | 'rst'
  | 'talk'
  | 'yaml'
  | 'pdf';

/** The kinds of files that the built-in converter reads (`CONVERTER_URL=local:`). */
export type OfficeKind = 'docx' | 'xlsx' | 'pptx' | 'odt' | 'ods' | 'odp' | 'rtf';

/** The way to read a kind of file: here, or by the converter. An outer one needs the media type; the built-in one reads `office` alone. */
type Format = { readonly native: NativeKind } | { readonly mediaType: string; readonly office?: OfficeKind };

/** Every extension that can be read, in the order of lists for people. */
const FORMATS: Readonly<Record<string, Format>> = {
  md: { native: 'markdown' },
  markdown: { native: 'markdown' },
  txt: { native: 'text' },
  text: { native: 'text' },
  html: { native: 'html' },
  htm: { native: 'html' },
  xhtml: { native: 'html' },
  xht: { native: 'html' },
  csv: { native: 'table' },
  tsv: { native: 'table' },
  json: { native: 'json' },
  jsonl: { native: 'jsonl' },
  ndjson: { native: 'jsonl' },
  ipynb: { native: 'notebook' },
  log: { native: 'log' },
  org: { native: 'org' },
  rst: { native: 'rst' },
  vtt: { native: 'talk' },
  srt: { native: 'talk' },
  yaml: { native: 'yaml' },
  yml: { native: 'yaml' },
  eml: { native: 'mail' },
  vcf: { native: 'cards' },
  ics: { native: 'calendar' },
  pdf: { native: 'pdf' },
  docx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    office: 'docx',
  },
  xlsx: { mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', office: 'xlsx' },
  pptx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    office: 'pptx',
  },
  odt: { mediaType: 'application/vnd.oasis.opendocument.text', office: 'odt' },
  ods: { mediaType: 'application/vnd.oasis.opendocument.spreadsheet', office: 'ods' },
  odp: { mediaType: 'application/vnd.oasis.opendocument.presentation', office: 'odp' },
  rtf: { mediaType: 'application/rtf', office: 'rtf' },
  png: { mediaType: 'image/png' },
  jpg: { mediaType: 'image/jpeg' },
  jpeg: { mediaType: 'image/jpeg' },
};

/** The extensions of all files that can be read, without a dot, in lower case. */
export const EXTENSIONS: readonly string[] = Object.keys(FORMATS);

/** Returns the extension of a file name in lower case, without its dot; '' without one. A leading dot begins none. */
export function extensionOf(name: string): string {
  return /[^/\\]\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** Returns the way to read a file of this name; null for a kind that cannot be read. */
export function formatOf(name: string): Format | null {
  const extension = extensionOf(name);
  return Object.hasOwn(FORMATS, extension) ? (FORMATS[extension] ?? null) : null;
}

/** Returns a sentence for a person who has a file that only a converter reads, and none that does. */
export function converterAdvice(name: string): string {
  const format = formatOf(name);
  return format !== null && 'office' in format
    ? 'Set CONVERTER_URL to local: for the built-in converter, or to the address of another one, such as markitdown-mcp.'
    : 'Set CONVERTER_URL to the address of a converter that recognises text in images, such as markitdown-mcp; the built-in one (local:) reads none.';
}

/** Files that no program runs when they are opened: pictures, sound, video, PDF, text, and mail, cards, dates and notebooks. */
const HARMLESS: ReadonlySet<string> = new Set(
  (
    'png jpg jpeg gif webp avif bmp ico tif tiff heic heif apng jxl ' +
    'mp3 m4a aac ogg oga opus wav flac weba mp4 m4v mov webm ogv mkv avi mpg mpeg 3gp ' +
    'pdf txt text log csv tsv json jsonl ndjson org rst srt vtt eml vcf ics ipynb'
  ).split(' '),
);

/** Kinds of files that are harmless or not by what they hold. */
export type JudgedKind = 'svg' | 'html' | 'canvas' | 'base' | 'office';
const JUDGED: Readonly<Record<string, JudgedKind>> = {
  svg: 'svg',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  xht: 'html',
  canvas: 'canvas',
  base: 'base',
  docx: 'office',
  xlsx: 'office',
  pptx: 'office',
  odt: 'office',
  ods: 'office',
  odp: 'office',
};

/** Returns how a file must be looked at before it is kept under its name; null for one that needs no look or is never so kept. */
export function judgedKind(name: string): JudgedKind | null {
  const extension = extensionOf(name);
  return Object.hasOwn(JUDGED, extension) ? (JUDGED[extension] ?? null) : null;
}

/** Returns true for a file that may be kept under its name, when what it holds is harmless too (`judgedKind`). */
export function isHarmlessKind(name: string): boolean {
  return HARMLESS.has(extensionOf(name)) || judgedKind(name) !== null;
}

/** Programs, and files that start one: they are refused, because nobody keeps them beside notes as text. */
const PROGRAMS: ReadonlySet<string> = new Set(
  'exe com bat cmd msi msix scr pif cpl dll ps1 vbs vbe js jse wsf hta jar lnk url reg app command desktop appimage dmg pkg deb rpm apk sh'.split(
    ' ',
  ),
);

/** Returns true for a file that may be kept beside notes that embed or link it, without being read: any kind but programs. */
export function isKeepable(name: string): boolean {
  const extension = extensionOf(name);
  return extension !== '' && !PROGRAMS.has(extension);
}
