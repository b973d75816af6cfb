import { useEffect, useRef, useState } from 'preact/hooks';

/** What a drag of something from outside the screen carries. */
const TAKEN = ['Files', 'text/uri-list'];

/**
 * Makes an element a place to drop files on. Answers whether something is held above it now. What begins inside the element,
 * such as a link of a note that is dragged away, is none of it.
 */
export function useDropTarget(
  target: { readonly current: HTMLElement | null },
  take: (data: DataTransfer) => void,
): boolean {
  const [over, setOver] = useState(false);
  const taker = useRef(take);
  taker.current = take;
  useEffect(() => {
    const element = target.current;
    if (element === null) return undefined;
    let isOwn = false;
    const fits = ({ dataTransfer }: DragEvent): boolean =>
      !isOwn && dataTransfer !== null && TAKEN.some((kind) => dataTransfer.types.includes(kind));
    const begins = (): void => void (isOwn = true);
    const ends = (): void => {
      isOwn = false;
      setOver(false);
    };
    const holds = (event: DragEvent): void => {
      if (!fits(event)) return;
      // Otherwise a browser would leave the page for the file, and the app would open it.
      event.preventDefault();
      event.stopPropagation();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
      setOver(true);
    };
    const leaves = (event: DragEvent): void => {
      const to = event.relatedTarget;
      const isInside = to !== null && 'nodeType' in to && element.contains(to as Node); // Only nodes have a node type.
      if (!isInside) setOver(false);
    };
    const drops = (event: DragEvent): void => {
      setOver(false);
      if (!fits(event) || event.dataTransfer === null) return;
      event.preventDefault();
      event.stopPropagation();
      taker.current(event.dataTransfer);
    };
    element.addEventListener('dragstart', begins);
    element.addEventListener('dragend', ends);
    element.addEventListener('dragenter', holds);
    element.addEventListener('dragover', holds);
    element.addEventListener('dragleave', leaves);
    element.addEventListener('drop', drops);
    return () => {
      element.removeEventListener('dragstart', begins);
      element.removeEventListener('dragend', ends);
      element.removeEventListener('dragenter', holds);
      element.removeEventListener('dragover', holds);
      element.removeEventListener('dragleave', leaves);
      element.removeEventListener('drop', drops);
    };
  }, [target]);
  return over;
}
