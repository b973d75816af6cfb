import type { HostState } from '../core/host-state';
import { documentWindow } from './define';
import { installDomHelpers, installGlobalHelpers, setActiveWindow } from './install';
import { ListenerLog } from './listener-log';

export interface DomSetup {
  readonly log: ListenerLog;
  undo(): void;
}

/** Makes the window of a document one of the app: its helpers, its keys, and a log of who listens to it. */
export function setUpDom(document: Document, state: HostState): DomSetup {
  const win = documentWindow(document);
  installDomHelpers(win);
  const removeGlobals = installGlobalHelpers(win);
  const keys = (event: KeyboardEvent): void => {
    state.handleKey(event);
  };
  document.addEventListener('keydown', keys);
  const log = new ListenerLog();
  log.watch(win);
  state.watchWindow = (popout) => {
    log.watch(popout);
  };
  state.focusWindow = (focused) => {
    setActiveWindow(documentWindow(focused.document));
  };
  return {
    log,
    undo: () => {
      log.stop();
      document.removeEventListener('keydown', keys);
      removeGlobals();
    },
  };
}
