import { WorkerMessageHandler } from 'pdfjs-dist/legacy/build/pdf.worker.mjs';
import { BrainError } from '../../core/base/errors';
import { runsOfNote } from './pdf-notes';
import { field, type TextRun, VERTICAL } from './pdf-run';
import type { ReadCharacterMap } from './protocol';

/** The version of the messages; pdf.js refuses any other. */
const VERSION = '5.6.205';
const US = 'brain';

/** The kinds of messages other than calls (pdf.js, `shared/message_handler.js`). */
const CALLBACK = { data: 1, error: 2 };
const STREAM = { close: 3, enqueue: 4, error: 5, startComplete: 8 };

/** A message of pdf.js: a call, an answer, or a part of a stream. */
interface Message {
  readonly action?: string;
  readonly callback?: number;
  readonly callbackId?: number;
  readonly stream?: number;
  readonly streamId?: number;
  readonly chunk?: unknown;
  readonly success?: boolean;
  readonly data?: unknown;
  readonly reason?: unknown;
}

/** A failure of pdf.js. `kind` is the name of its exception, such as `PasswordException`. */
class PdfFailure extends Error {
  override readonly name = 'PdfFailure';

  constructor(readonly kind: string) {
    super(`pdf.js: ${kind}`);
  }
}

/**
 * A call of pdf.js to its display layer: a file that it needs (`FetchBinaryData`), the password (`PasswordRequest`), or
 * news.
 */
type OnCall = (action: string, data: unknown) => Promise<unknown>;

/** The connection to a document that is open in pdf.js. */
interface PdfConnection {
  call(action: string, data: unknown): Promise<unknown>;
  /** Passes each chunk of a stream to `take` until it returns false; resolves at the end, rejects with PdfFailure. */
  stream(action: string, data: unknown, take: (chunk: unknown) => boolean): Promise<void>;
}

/**
 * Connects to the half of pdf.js that reads files, in place of its other half. That one draws, and would be as large as
 * half of this program; only text is needed. Both sides are in this thread, so a message is a function call.
 */
function connect(document: object, onCall: OnCall): PdfConnection {
  const waiting = new Map<number, { resolve: (data: unknown) => void; reject: (error: Error) => void }>();
  const streams = new Map<number, { take: (chunk: unknown) => boolean; end: (failure?: Error) => void }>();
  let listener: (event: { data: unknown }) => void = () => undefined;
  let last = 0;

  function post(message: object): void {
    listener({ data: { sourceName: US, targetName: worker, ...message } });
  }
  function receive(message: Message): void {
    const { callback, callbackId = 0, streamId = 0 } = message;
    if (message.stream !== undefined) receivePart(message, streamId);
    else if (callback !== undefined) {
      const waiter = waiting.get(callbackId);
      waiting.delete(callbackId);
      if (callback === CALLBACK.data) waiter?.resolve(message.data);
      else waiter?.reject(failureOf(message.reason));
    } else {
      const answered = onCall(message.action ?? '', message.data);
      answered.then(
        (data) => callbackId > 0 && post({ callback: CALLBACK.data, callbackId, data }),
        (reason: unknown) => callbackId > 0 && post({ callback: CALLBACK.error, callbackId, reason }),
      );
    }
  }
  function receivePart({ stream, chunk, success, reason }: Message, streamId: number): void {
    const open = streams.get(streamId);
    if (stream === STREAM.enqueue && open?.take(chunk) === false) open.end();
    else if (stream === STREAM.close) open?.end();
    else if (stream === STREAM.error || (stream === STREAM.startComplete && success !== true))
      open?.end(failureOf(reason));
  }

  const worker = WorkerMessageHandler.createDocumentHandler(
    { docId: US, apiVersion: VERSION, ...document },
    {
      addEventListener: (_, added) => (listener = added),
      // pdf.js writes these messages.
      postMessage: (message) => receive(message as Message),
    },
  );
  queueMicrotask(() => post({ action: 'Ready', data: null }));

  return {
    call(action, data) {
      const callbackId = (last += 1);
      return new Promise((resolve, reject) => {
        waiting.set(callbackId, { resolve, reject });
        post({ action, callbackId, data });
      });
    },
    stream(action, data, take) {
      const streamId = (last += 1);
      return new Promise((resolve, reject) => {
        const end = (failure?: Error) => {
          streams.delete(streamId);
          if (failure === undefined) resolve();
          else reject(failure);
        };
        streams.set(streamId, { take, end });
        post({ action, streamId, data, desiredSize: Infinity });
      });
    },
  };
}

function failureOf(reason: unknown): PdfFailure {
  return new PdfFailure(reason instanceof Error ? reason.name : 'unknown');
}

export interface PdfDocument {
  readonly pageCount: number;
  /** The title in the metadata, unchanged. */
  readonly title: string;
  /** The author in the metadata, unchanged. */
  readonly author: string;
  /**
   * Calls `take` with the runs of a page (from 0), in the order of the file, then with those of its form fields and notes,
   * until it returns false. Resolves to what is wrong with the page, null for nothing; the runs before the damage are passed.
   */
  runs(page: number, take: (run: TextRun) => boolean): Promise<PageFault | null>;
  /** Returns false when what is in the place of a page is none. */
  isPage(page: number): Promise<boolean>;
  /** Returns true when text needed a character map that is not available. */
  lacksCharacters(): boolean;
}

/**
 * `missing`: the file has no such page; `damaged`: some of its text or its notes could not be read; `large`: a part of it unpacks
 * to more than the limit.
 */
export type PageFault = 'missing' | 'damaged' | 'large';

/** The options of pdf.js: it reads text, and processes no fonts, pictures or scripts beyond that. */
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
 * Opens a PDF file. `characterMaps` reads the character maps that fonts refer to.
 * @throws BrainError `unsupported_type` when it is damaged or needs a password
 */
export async function openPdf(
  name: string,
  data: Uint8Array<ArrayBuffer>,
  characterMaps: ReadCharacterMap,
): Promise<PdfDocument> {
  let isMapMissing = false;
  let opened: (info: unknown) => void;
  let refused: (failure: PdfFailure) => void;
  const info = new Promise<unknown>((resolve, reject) => {
    opened = resolve;
    refused = reject;
  });
  const connection = connect(
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
        if (field(asked, 'kind') === 'cMapUrl') isMapMissing = true;
        throw new Error('This file is not here.');
      } else if (action === 'PasswordRequest') throw new Error('Nobody is asked.');
      return null;
    },
  );
  const pageCount = Number(field(field(await info.catch(refusal(name)), 'pdfInfo'), 'numPages'));
  return {
    // A damaged file may count no pages and have some.
    pageCount: pageCount >= 1 ? Math.floor(pageCount) : 1,
    ...(await namesOf(connection)),
    runs: (page, take) => runsOf(connection, page, take),
    isPage: (page) => isPage(connection, page),
    lacksCharacters: () => isMapMissing,
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

async function namesOf(connection: PdfConnection): Promise<Pick<PdfDocument, 'title' | 'author'>> {
  // Unreadable metadata means no title; the text may be whole.
  const metadata = await connection.call('GetMetadata', null).catch(() => []);
  const valueOf = (name: string): string => {
    const value = field(Array.isArray(metadata) ? metadata[0] : null, name);
    return typeof value === 'string' ? value : '';
  };
  return { title: valueOf('Title'), author: valueOf('Author') };
}

async function runsOf(
  connection: PdfConnection,
  page: number,
  take: (run: TextRun) => boolean,
): Promise<PageFault | null> {
  // pdf.js never answers a request for the text of a page that it cannot find.
  const isThere = await connection.call('GetPage', { pageIndex: page }).then(
    () => true,
    () => false,
  );
  if (!isThere) return 'missing';
  const [damages, bombs] = [counted('damages'), counted('bombs')];
  const faultOf = (isDamaged: boolean): PageFault | null =>
    counted('bombs') > bombs ? 'large' : isDamaged || counted('damages') > damages ? 'damaged' : null;
  let isOpen = true;
  const taken = (run: TextRun): boolean => (isOpen = isOpen && take(run));
  const fonts = new Map<string, unknown>();
  const asked = { pageId: page, pageIndex: page, includeMarkedContent: false, disableNormalization: true };
  try {
    await connection.stream('GetTextContent', asked, (chunk) => {
      const [items, styles] = [field(chunk, 'items'), field(chunk, 'styles')];
      if (typeof styles === 'object' && styles !== null)
        for (const [name, style] of Object.entries(styles)) fonts.set(name, style);
      return !Array.isArray(items) || items.every((item) => taken(runOf(item, fonts)));
    });
    if (isOpen) {
      const notes = await connection.call('GetAnnotations', { pageIndex: page, intent: DISPLAY });
      if (Array.isArray(notes)) notes.flatMap(runsOfNote).every(taken);
    }
  } catch {
    return faultOf(true);
  }
  return faultOf(false);
}

async function isPage(connection: PdfConnection, page: number): Promise<boolean> {
  try {
    const ref = field(await connection.call('GetPage', { pageIndex: page }), 'ref');
    // pdf.js refuses the index of what is no page, and puts an empty page without a reference in the place of a lost one.
    if (ref === null) return false;

    await connection.call('GetPageIndex', { num: field(ref, 'num'), gen: field(ref, 'gen') });
    return true;
  } catch {
    return false;
  }
}

/** The intent of pdf.js to show a page on a screen. */
const DISPLAY = 2;

/** Returns a count that the bundler adds to pdf.js: of damage after which it went on, or of parts that unpack to too much. */
function counted(name: 'damages' | 'bombs'): number {
  return Number(Reflect.get(WorkerMessageHandler, name) ?? 0);
}

function runOf(item: unknown, fonts: ReadonlyMap<string, unknown>): TextRun {
  const transform = field(item, 'transform');
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = Array.isArray(transform) ? transform.map(Number) : [];
  const text = field(item, 'str');
  const font = fonts.get(String(field(item, 'fontName')));
  const run = {
    text: typeof text === 'string' ? text : '',
    width: Number(field(item, 'width')) || 0,
    size: Math.hypot(c, d) || Math.hypot(a, b),
    ...(field(font, 'fontFamily') === 'monospace' && { isMono: true }),
  };
  if (field(font, 'vertical') === true)
    return { ...run, x: -y, y: x, width: Number(field(item, 'height')) || 0, turn: VERTICAL };
  const turn = a > 0 && Math.abs(b) < a / 8 ? 0 : Math.round((Math.atan2(b, a) * 12) / Math.PI) * 15 || 0;
  if (turn === 0) return { ...run, x, y };
  const angle = (turn * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return { ...run, x: x * cos + y * sin, y: y * cos - x * sin, turn };
}
