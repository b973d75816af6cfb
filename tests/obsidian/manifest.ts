import type { PluginManifest } from 'obsidian';

export const MANIFEST: PluginManifest = {
  id: 'sample',
  name: 'Sample',
  author: 'Tests',
  version: '1.0.0',
  minAppVersion: '1.13.0',
  description: 'For tests.',
};
