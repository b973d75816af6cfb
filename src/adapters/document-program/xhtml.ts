/** The elements that have no end tag in HTML. */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));

/**
 * Returns XHTML as HTML, in which a mark at the end of a tag has no meaning: `<script/>` and `<a id="x"/>` get an end tag, and
 * character data becomes text. A page that is no XHTML by its name, its XML declaration or its namespace stays as it is.
 */
export function asHtml(text: string, name: string): string {
  const isXhtml =
    /\.xht(?:ml)?$/i.test(name) ||
    /^\s*<\?xml\s/.test(text) ||
    /<html\s[^<>]*xmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml/i.test(text.slice(0, 4096));
  if (!isXhtml) return text;
  return withoutSections(text).replace(
    /<([a-z][\w.-]*)((?:\s[^<>]*["'\s])?)\/>/gi,
    (tag, element: string, attributes: string) =>
      VOID.has(element.toLowerCase()) ? tag : `<${element}${attributes}></${element}>`,
  );
}

/** Replaces sections of character data by escaped text. */
function withoutSections(text: string): string {
  let [result, done] = ['', 0];
  for (let at = text.indexOf('<![CDATA['); at >= 0; at = text.indexOf('<![CDATA[', done)) {
    const end = text.indexOf(']]>', at);
    const data = text.slice(at + '<![CDATA['.length, end < 0 ? text.length : end);
    result += text.slice(done, at) + data.replace(/&/g, '&amp;').replace(/</g, '&lt;');
    done = end < 0 ? text.length : end + ']]>'.length;
  }
  return result + text.slice(done);
}
