/** The half of pdf.js that reads files. The package has no types for it; these cover what is used. */
declare module 'pdfjs-dist/legacy/build/pdf.worker.mjs' {
  export const WorkerMessageHandler: {
    /** Prepares for one document and returns the name under which messages reach it. */
    createDocumentHandler(
      document: object,
      port: {
        addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
        postMessage(message: unknown): void;
      },
    ): string;
  };
}
