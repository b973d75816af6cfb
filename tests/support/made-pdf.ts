import { deflateSync } from 'node:zlib';

/** A PDF file of these objects, the first of which is its catalogue; each without `obj` and `endobj`. */
export function pdfOf(objects: readonly (string | Buffer)[]): Uint8Array<ArrayBuffer> {
  const parts: Buffer[] = [Buffer.from('%PDF-1.5\n')];
  const places: number[] = [];
  let size = parts[0]?.length ?? 0;
  for (const [at, object] of objects.entries()) {
    places.push(size);
    const part = Buffer.concat([
      Buffer.from(`${at + 1} 0 obj\n`),
      typeof object === 'string' ? Buffer.from(object, 'latin1') : object,
      Buffer.from('\nendobj\n'),
    ]);
    parts.push(part);
    size += part.length;
  }
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${size}\n%%EOF\n`,
    ),
  );
  return new Uint8Array(Buffer.concat(parts));
}

/** A PDF file with one page for each content, packed so many times. */
export function pdfWithPages(contents: readonly (string | Buffer)[], packed = 1): Uint8Array<ArrayBuffer> {
  const kids = contents.map((_, at) => `${4 + 2 * at} 0 R`).join(' ');
  const pages = contents.flatMap((content, at) => {
    let data = Buffer.from(content);
    for (let times = 0; times < packed; times += 1) data = deflateSync(data);
    const filters = Array(packed).fill('/FlateDecode').join(' ');
    const head = Buffer.from(`<< /Length ${data.length} /Filter [${filters}] >>\nstream\n`);
    return [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${5 + 2 * at} 0 R /Resources << /Font << /F 3 0 R >> >> >>`,
      Buffer.concat([head, data, Buffer.from('\nendstream')]),
    ];
  });
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pages,
  ]);
}

/** Lines of text for a page, from its top. */
export function pageOf(lines: readonly string[]): string {
  const shown = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj 0 -14 Td`).join('\n');
  return `BT /F 11 Tf 50 750 Td\n${shown}\nET`;
}

/** A text at a place of a page, in points from its lower left corner. */
export function textAt(x: number, y: number, text: string, font = 'F', size = 11): string {
  return `BT /${font} ${size} Tf ${x} ${y} Td (${text.replace(/[\\()]/g, '\\$&')}) Tj ET`;
}

/** An object with a stream. */
export function streamOf(content: string): string {
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

/**
 * A PDF file of one page with Helvetica (`F`) and Courier (`C`), and with annotations, each as a dictionary. Fields of a form
 * are annotations.
 */
export function pdfWithNotes(content: string, notes: readonly string[]): Uint8Array<ArrayBuffer> {
  const refs = notes.map((_, at) => `${7 + at} 0 R`).join(' ');
  return pdfOf([
    `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${refs}] /DA (/F 10 Tf 0 g) /DR << /Font << /F 5 0 R >> >> >> >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Annots [${refs}] /Resources << /Font << /F 5 0 R /C 6 0 R >> >> >>`,
    streamOf(content),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>',
    ...notes,
  ]);
}
