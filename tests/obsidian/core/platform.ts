/** The machine of the fake: the desktop app on Linux. A test may say otherwise, and has to set it back. */
export const Platform = {
  isDesktop: true,
  isMobile: false,
  isDesktopApp: true,
  isMobileApp: false,
  isIosApp: false,
  isAndroidApp: false,
  isPhone: false,
  isTablet: false,
  isMacOS: false,
  isWin: false,
  isLinux: true,
  isSafari: false,
  resourcePathPrefix: 'app://fake/',
};

export const apiVersion = '1.13.1';

/** True when the host is of this version or newer. */
export function requireApiVersion(version: string): boolean {
  const parts = (text: string): number[] => text.split('.').map(Number);
  const [have, want] = [parts(apiVersion), parts(version)];
  for (const [at, part] of want.entries()) {
    const mine = have[at] ?? 0;
    if (mine !== part) return mine > part;
  }
  return true;
}

export function getLanguage(): string {
  return 'en';
}
