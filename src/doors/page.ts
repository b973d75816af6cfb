import type express from 'express';
import { sha256 } from '../core/rules/hash';

/** The web page as the build made it: what each file is called, and its text. */
export interface PageFiles {
  readonly html: string;
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

/**
 * What the page may do: run its own script and style, and talk to the server it came from. Whatever a note smuggled
 * into it could neither run nor reach another host, and no other page can put it into a frame.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The handlers of the page's files by path: these four and nothing else, so that no path can name a file of the disk.
 * They hold nothing private and are open to everyone whom the guard lets in; what the page shows, it asks for with a
 * token. Browsers keep a copy and ask whether it still holds.
 */
export function pageHandlers(files: PageFiles): Readonly<Record<string, express.RequestHandler>> {
  return {
    '/': fileHandler('text/html; charset=utf-8', files.html),
    '/page.js': fileHandler('text/javascript; charset=utf-8', files.script),
    '/page.css': fileHandler('text/css; charset=utf-8', files.style),
    '/favicon.svg': fileHandler('image/svg+xml; charset=utf-8', files.icon),
  };
}

function fileHandler(type: string, text: string): express.RequestHandler {
  const etag = `"${sha256(text)}"`;
  // However many answers wait to be read, they share these.
  const bytes = Buffer.from(text);
  return (req, res) => {
    res.set({
      'Content-Type': type,
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
      ETag: etag,
    });
    if (req.fresh) res.status(304).end();
    else res.send(bytes);
  };
}
