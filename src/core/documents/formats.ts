/** What this program reads by itself. */
export type NativeKind =
  'markdown' | 'text' | 'log' | 'html' | 'table' | 'json' | 'jsonl' | 'mail' | 'org' | 'rst' | 'pdf';

/** How a file of a kind is read: here, or by the converter, which is told the media type. */
type Format = { readonly native: NativeKind } | { readonly mediaType: string };

/** Every extension that can be read, in the order in which they are named to people. */
const FORMATS: Readonly<Record<string, Format>> = {
  md: { native: 'markdown' },
  markdown: { native: 'markdown' },
  txt: { native: 'text' },
  text: { native: 'text' },
  html: { native: 'html' },
  htm: { native: 'html' },
  csv: { native: 'table' },
  tsv: { native: 'table' },
  json: { native: 'json' },
  jsonl: { native: 'jsonl' },
  log: { native: 'log' },
  org: { native: 'org' },
  rst: { native: 'rst' },
  eml: { native: 'mail' },
  pdf: { native: 'pdf' },
  docx: { mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
  xlsx: { mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
  pptx: { mediaType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation' },
  png: { mediaType: 'image/png' },
  jpg: { mediaType: 'image/jpeg' },
  jpeg: { mediaType: 'image/jpeg' },
};

/** The extensions of all files that can be read, without a dot, in lower case. */
export const EXTENSIONS: readonly string[] = Object.keys(FORMATS);

/** The extension of a file name, in lower case and without its dot; empty when it has none. A leading dot is none. */
export function extensionOf(name: string): string {
  return /[^/\\]\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** How a file of this name is read; null for a kind that nobody reads. */
export function formatOf(name: string): Format | null {
  const extension = extensionOf(name);
  return Object.hasOwn(FORMATS, extension) ? (FORMATS[extension] ?? null) : null;
}
