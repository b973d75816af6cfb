import { useParts } from './use-parts';

/** A note's text as it is written, every character of it visible but none of it read. A long one is shown in parts. */
export function NoteSource({ body }: { readonly body: string }) {
  const { shown, more } = useParts(body);
  return (
    <>
      <pre class="brain-code" dir="auto">
        {shown}
      </pre>
      {more}
    </>
  );
}
