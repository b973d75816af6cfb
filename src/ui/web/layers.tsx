import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon';

interface Layer {
  readonly id: number;
  readonly title: string;
  readonly content: ComponentChildren;
  /** Runs when the layer has gone, however that came about. */
  readonly gone: () => void;
}

/** The layers above the page, the last one on top. */
export interface LayerStack {
  /** Shows a layer; returns how to close it. `onClose` runs once, however it was closed. */
  open(title: string, content: ComponentChildren, onClose?: () => void): () => void;
  /** Closes all layers, the last one first: they belong to a screen that is left. */
  closeAll(): void;
  layers(): readonly Layer[];
  /** Tells when layers have come or gone; returns how to stop that. */
  listen(listener: () => void): () => void;
}

export function createLayerStack(): LayerStack {
  let layers: readonly Layer[] = [];
  let last = 0;
  const listeners = new Set<() => void>();
  const show = (next: readonly Layer[]): void => {
    layers = next;
    for (const listener of listeners) listener();
  };
  return {
    layers: () => layers,
    closeAll() {
      for (const { gone } of [...layers].reverse()) gone();
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    open(title, content, onClose) {
      const id = ++last;
      const gone = (): void => {
        if (!layers.some((layer) => layer.id === id)) return;
        show(layers.filter((layer) => layer.id !== id));
        onClose?.();
      };
      show([...layers, { id, title, content, gone }]);
      return gone;
    },
  };
}

/** Draws the layers. While `hidden` they are out of the way with everything that was typed into them. */
export function Layers({ stack, hidden }: { readonly stack: LayerStack; readonly hidden: boolean }) {
  const [layers, setLayers] = useState(stack.layers());
  useEffect(() => stack.listen(() => setLayers(stack.layers())), [stack]);
  return (
    <>
      {layers.map((layer) => (
        <LayerDialog key={layer.id} layer={layer} hidden={hidden} />
      ))}
    </>
  );
}

interface DialogProps {
  readonly layer: Layer;
  readonly hidden: boolean;
}

/** The browser's own dialog: it keeps the focus inside, closes on Escape, and gives the focus back to where it was. */
function LayerDialog({ layer: { title, content, gone }, hidden }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  /** Where the focus was when the layer was hidden. */
  const left = useRef<HTMLElement | null>(null);
  // Before anything else asks for the focus: an open dialog, seen or not, lets nothing outside of it have any.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element === null || hidden) return undefined;
    element.showModal();
    const active = left.current;
    if (active?.isConnected === true) active.focus();
    return () => {
      left.current = element.querySelector<HTMLElement>(':focus');
      // Closing gives the focus back; an element that is only taken away would lose it.
      element.close();
    };
  }, [hidden]);
  // The browser tells of a closed dialog later: it may only be hidden, or shown again.
  const onClose = (): void => {
    if (!hidden && dialog.current?.open !== true) gone();
  };
  return (
    <dialog
      ref={dialog}
      class="brain-layer"
      aria-label={title}
      onClose={onClose}
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) gone();
      }}
    >
      <div class="brain-sheet">
        <div class="brain-sheet-head">
          <h2>{title}</h2>
          <button type="button" class="clickable-icon" aria-label="Close" onClick={gone}>
            <Icon name="x" />
          </button>
        </div>
        {content}
      </div>
    </dialog>
  );
}
