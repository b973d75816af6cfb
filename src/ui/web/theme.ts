export type ThemeChoice = 'system' | 'light' | 'dark';

/** The browser, as far as light and dark are concerned. */
export interface ThemePage {
  /** The person's choice, kept on this device; null before any. */
  load(): string | null;
  save(choice: ThemeChoice): void;
  systemIsDark(): boolean;
  /** Tells when the system has changed between light and dark. */
  onSystem(listener: () => void): void;
  /** Makes the whole page dark or light. */
  paint(dark: boolean): void;
}

export interface Theme {
  choice(): ThemeChoice;
  choose(choice: ThemeChoice): void;
}

/** Paints the page as chosen, and as the system is where nothing was chosen. */
export function createTheme(page: ThemePage): Theme {
  let current = choiceOf(page.load());
  const paint = (): void => page.paint(current === 'system' ? page.systemIsDark() : current === 'dark');
  page.onSystem(paint);
  paint();
  return {
    choice: () => current,
    choose(choice) {
      current = choice;
      page.save(choice);
      paint();
    },
  };
}

function choiceOf(saved: string | null): ThemeChoice {
  return saved === 'light' || saved === 'dark' ? saved : 'system';
}

/** What comes after a choice when the button is pressed. */
export const NEXT_THEME: Readonly<Record<ThemeChoice, ThemeChoice>> = {
  system: 'light',
  light: 'dark',
  dark: 'system',
};
