import type { Modal } from './modal';

const open = new WeakMap<object, Set<Modal>>();

/** The dialogs that stand open in an app, in the order in which they were opened. */
export function modalsOf(app: object): Set<Modal> {
  const found = open.get(app) ?? new Set<Modal>();
  open.set(app, found);
  return found;
}
