import { render } from 'preact';
import { type Browser, tokenStorage } from '../../ui/web/browser';
import { WebPage } from '../../ui/web/page';

/** Returns the browser's interfaces that the page uses. */
function thisBrowser(): Browser {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  return {
    url: new URL('.', window.location.href).href.replace(/\/$/, ''),
    document,
    fetch: (url, init) => window.fetch(url, init),
    pace: {
      later(run, ms) {
        const timer = window.setTimeout(run, ms);
        return () => window.clearTimeout(timer);
      },
      isVisible: () => document.visibilityState === 'visible',
      onVisible(run) {
        const listener = (): void => {
          if (document.visibilityState === 'visible') run();
        };
        document.addEventListener('visibilitychange', listener);
        return () => document.removeEventListener('visibilitychange', listener);
      },
    },
    token: tokenStorage(window.sessionStorage, window.localStorage, (listener) =>
      window.addEventListener('storage', listener),
    ),
    theme: {
      load: () => window.localStorage.getItem('brain.theme'),
      save: (choice) => window.localStorage.setItem('brain.theme', choice),
      systemIsDark: () => dark.matches,
      onSystem: (listener) => dark.addEventListener('change', listener),
      paint(isDark) {
        document.body.classList.toggle('theme-dark', isDark);
        document.body.classList.toggle('theme-light', !isDark);
      },
    },
    address: {
      get hash() {
        return window.location.hash;
      },
      push(fragment) {
        window.location.hash = fragment;
      },
      replace: (fragment) => window.history.replaceState(null, '', fragment),
      onChange: (listener) => window.addEventListener('hashchange', listener),
      // Not a link with rel=noopener: such a tab starts without this one's session storage, and so without its token.
      openTab: (fragment) => void window.open(fragment, '_blank'),
    },
    preferences: {
      get: (key) => window.localStorage.getItem(`brain.screen.${key}`),
      set: (key, value) => window.localStorage.setItem(`brain.screen.${key}`, value),
    },
    session: {
      get: (key) => window.sessionStorage.getItem(`brain.screen.${key}`),
      set(key, value) {
        try {
          window.sessionStorage.setItem(`brain.screen.${key}`, value);
        } catch {
          // The storage is full. The value is only a convenience, and an outdated one must not stay.
          window.sessionStorage.removeItem(`brain.screen.${key}`);
        }
      },
    },
    copy: (text) => window.navigator.clipboard.writeText(text),
    now: () => new Date(),
  };
}

const root = document.getElementById('brain');
if (root === null) throw new Error('The page has no element for its screens.');
render(<WebPage browser={thisBrowser()} />, root);
