import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { findHeading } from '../../core/links/headings';
import { useUi } from '../client/context';
import { asCallError, useCall } from '../kit/async';
import { Icon } from '../kit/icons';

/** An image of the vault, as a note embeds it. */
export interface EmbeddedImage {
  readonly path: string;
  /** The words of the embed, which describe the image to those who do not see it. */
  readonly words: string;
  /** The size that the note gives it (CSS pixels). */
  readonly width?: number;
  readonly height?: number;
}

/** A note that another note embeds; `fragment` is '' for the whole. */
export interface EmbeddedNote {
  readonly path: string;
  readonly fragment: string;
  readonly open: ((path: string, fragment: string) => void) | undefined;
}

/** Shows what an embed names instead of it, and why it is not shown. */
export function EmbedChip(props: { readonly target: string; readonly words: string; readonly why: string }) {
  const { target, words, why } = props;
  return (
    <span class="brain-embed" title={`Embedded: ${target}`}>
      <Icon name={isImageName(target) ? 'image-off' : 'file-text'} />
      {words}
      {why !== '' && <span class="brain-muted">({why})</span>}
    </span>
  );
}

/** Returns true for the name of an image. */
export function isImageName(path: string): boolean {
  return /\.(?:png|jpe?g|gif|webp|avif|svg|bmp)$/i.test(path);
}

/** An image of the vault. Its address is asked of the host, and is never one that the note gives. */
export function VaultImage({ path, words, width, height }: EmbeddedImage) {
  const { host } = useUi();
  const [state, setState] = useState<{ readonly url: string } | { readonly why: string } | null>(null);
  useEffect(() => {
    let url: string | null = null;
    let isGone = false;
    setState(null);
    const load = async (): Promise<void> => {
      try {
        if (host.imageUrl === undefined) return setState({ why: 'not shown here' });
        url = await host.imageUrl(path);
        if (isGone) release(url);
        else setState({ url });
      } catch (error) {
        const { code } = asCallError(error);
        if (!isGone) setState({ why: FAILURES[code] ?? 'could not be loaded' });
      }
    };
    void load();
    return () => {
      isGone = true;
      if (url !== null) release(url);
    };
  }, [host, path]);
  if (state === null) return <EmbedChip target={path} words={words} why="" />;
  if ('why' in state) return <EmbedChip target={path} words={words} why={state.why} />;
  return (
    <img
      src={state.url}
      alt={words}
      width={width}
      height={height}
      onError={() => setState({ why: 'cannot be shown' })}
    />
  );
}

const FAILURES: Readonly<Record<string, string>> = {
  not_found: 'no image that can be shown',
  too_large: 'too large to be shown',
  unreachable: 'the server does not answer',
};

/** Frees the image behind an address that was made for one preview. */
function release(url: string): void {
  if (url.startsWith('blob:')) URL.revokeObjectURL(url);
}

/** The characters that are read of an embedded note, and of one of which a part is embedded. */
const EMBEDDED_CHARS = 1500;
const SEARCHED_CHARS = 40_000;
/** The lines that are shown of an embedded note. */
const EMBEDDED_LINES = 12;

/** Returns the lines of a body that a fragment names: from a heading to the next one, or to a block id; all when it names none. */
function linesOf(body: string, fragment: string): string[] {
  const lines = body.trim().split('\n');
  if (fragment.startsWith('^')) {
    const end = lines.findIndex((line) => line.trimEnd().endsWith(` ${fragment}`));
    if (end < 0) return lines;
    const before = lines.slice(0, end).map((line) => line.trim());
    return lines.slice(before.lastIndexOf('') + 1, end + 1);
  }
  const headings = lines.flatMap((line, at) => {
    const [, marks = '', text = ''] = /^(#{1,6})[ \t]+(.*)$/.exec(line) ?? [];
    return marks === '' ? [] : [{ level: marks.length, text: text.replace(/[ \t]#+[ \t]*$/, ''), at }];
  });
  const found = headings[fragment === '' ? -1 : findHeading(headings, fragment)];
  if (found === undefined) return lines;
  const next = headings.find(({ level, at }) => at > found.at && level <= found.level);
  return lines
    .slice(found.at + 1, next?.at)
    .join('\n')
    .trim()
    .split('\n');
}

/**
 * The title of an embedded note, which leads to it, and its first lines. `preview` renders them, without what they embed
 * themselves.
 */
export function NoteEmbed(props: {
  readonly embed: EmbeddedNote;
  readonly preview: (body: string, title: string) => ComponentChildren;
}) {
  const { path, fragment, open } = props.embed;
  const note = useCall('note', { path, max_chars: fragment === '' ? EMBEDDED_CHARS : SEARCHED_CHARS });
  const { value, error } = note;
  if (error !== null) return <EmbedChip target={path} words={path} why="no note that can be shown" />;
  if (value === null) return <EmbedChip target={path} words={path} why="" />;
  const lines = linesOf(value.body, fragment);
  const isCut = lines.length > EMBEDDED_LINES || (value.truncated && fragment === '');
  const name = fragment === '' ? value.title : `${value.title} > ${fragment}`;
  return (
    <div class="brain-note-embed" role="group" aria-label={`Embedded note: ${name}`}>
      <p class="brain-note-embed-title">
        <Icon name="file-text" />
        {open === undefined ? (
          <span>{name}</span>
        ) : (
          <button type="button" class="brain-notelink" title={path} onClick={() => open(path, fragment)}>
            {name}
          </button>
        )}
      </p>
      {props.preview(lines.slice(0, EMBEDDED_LINES).join('\n'), value.title)}
      {isCut && <p class="brain-small brain-muted">The note goes on.</p>}
    </div>
  );
}
