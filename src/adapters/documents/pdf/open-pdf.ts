import { BrainError } from '../../../core/errors';
import type { ReadCharacterMap } from '../protocol';
import { failureOf, linkPdf, type PdfFailure, type PdfLink } from './pdf-link';

/** One run of text on a page. Lengths are in points, from the lower left corner of the page. */
export interface TextRun {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Size of the letters. */
  readonly size: number;
  /** pdf.js found that a line ends here. */
  readonly endsLine: boolean;
}

export interface PdfDocument {
  readonly pageCount: number;
  /** The title in its metadata, as it stands there. */
  readonly title: string;
  /** Calls `take` with the runs of a page, from 0, in the order of the file, until it answers false. */
  runs(page: number, take: (run: TextRun) => boolean): Promise<void>;
  /** True when text needed a table of characters that this program does not have. */
  lacksCharacters(): boolean;
}

/** What pdf.js may do: read text, and nothing of fonts, pictures or scripts beyond that. */
const OPTIONS = {
  maxImageSize: 1,
  disableFontFace: true,
  ignoreErrors: true,
  isEvalSupported: false,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
  canvasMaxAreaInBytes: 0,
  fontExtraProperties: false,
  useSystemFonts: false,
  useWasm: false,
  useWorkerFetch: false,
  cMapUrl: null,
  cMapPacked: true,
  iccUrl: null,
  standardFontDataUrl: null,
  wasmUrl: null,
  enableWebGPU: false,
};

/**
 * Opens a PDF file. `characterMaps` reads the tables that fonts refer to.
 * @throws BrainError `unsupported_type` when it is damaged or needs a password
 */
export async function openPdf(
  name: string,
  data: Uint8Array<ArrayBuffer>,
  characterMaps: ReadCharacterMap,
): Promise<PdfDocument> {
  let lacks = false;
  let opened: (info: unknown) => void;
  let refused: (failure: PdfFailure) => void;
  const info = new Promise<unknown>((resolve, reject) => {
    opened = resolve;
    refused = reject;
  });
  const link = linkPdf(
    {
      data,
      password: null,
      disableAutoFetch: true,
      rangeChunkSize: 65_536,
      docBaseUrl: null,
      enableXfa: false,
      evaluatorOptions: OPTIONS,
    },
    async (action, asked) => {
      if (action === 'GetDoc') opened(asked);
      else if (action === 'DocException') refused(failureOf(asked));
      else if (action === 'FetchBinaryData') {
        const map =
          field(asked, 'kind') === 'cMapUrl' ? await characterMaps(String(field(asked, 'filename'))) : null;
        if (map !== null) return map;
        if (field(asked, 'kind') === 'cMapUrl') lacks = true;
        throw new Error('This file is not here.');
      } else if (action === 'PasswordRequest') throw new Error('Nobody is asked.');
      return null;
    },
  );
  const pageCount = Number(field(field(await info.catch(refusal(name)), 'pdfInfo'), 'numPages'));
  return {
    pageCount,
    title: await titleOf(link),
    runs: (page, take) => runsOf(link, page, take),
    lacksCharacters: () => lacks,
  };
}

function refusal(name: string): (failure: PdfFailure) => never {
  return ({ kind }) => {
    throw new BrainError(
      'unsupported_type',
      kind === 'PasswordException'
        ? `${name} is protected by a password. Save a copy without one and ingest that.`
        : `${name} is damaged or no PDF file. Open it in a viewer, save it again, and ingest that.`,
    );
  };
}

async function titleOf(link: PdfLink): Promise<string> {
  // A file without readable metadata has no title; its text may be whole.
  const metadata = await link.call('GetMetadata', null).catch(() => []);
  const title = field(Array.isArray(metadata) ? metadata[0] : null, 'Title');
  return typeof title === 'string' ? title : '';
}

async function runsOf(link: PdfLink, page: number, take: (run: TextRun) => boolean): Promise<void> {
  const asked = { pageId: page, pageIndex: page, includeMarkedContent: false, disableNormalization: false };
  await link.stream('GetTextContent', asked, (chunk) => {
    const items = field(chunk, 'items');
    return !Array.isArray(items) || items.map(runOf).every(take);
  });
}

function runOf(item: unknown): TextRun {
  const transform = field(item, 'transform');
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = Array.isArray(transform) ? transform.map(Number) : [];
  const text = field(item, 'str');
  return {
    text: typeof text === 'string' ? text : '',
    x,
    y,
    width: Number(field(item, 'width')) || 0,
    size: Math.hypot(c, d) || Math.hypot(a, b),
    endsLine: field(item, 'hasEOL') === true,
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
