/** The half of pdf.js that reads files. It comes without types; these are of the little that is used. */
declare module 'pdfjs-dist/legacy/build/pdf.worker.mjs' {
  export const WorkerMessageHandler: {
    /** Gets ready for one document and answers the name under which it is spoken to through the port. */
    createDocumentHandler(
      document: object,
      port: {
        addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
        postMessage(message: unknown): void;
      },
    ): string;
  };
}
