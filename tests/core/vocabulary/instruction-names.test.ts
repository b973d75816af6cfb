import { sha256 } from '../../../src/core/base/hash';
import { isInstructionName, promoteSlug, slugify } from '../../../src/core/vocabulary/address';
import { vaultPath } from '../../../src/core/vocabulary/paths';

it.each([
  ['CLAUDE', true],
  ['claude.md', true],
  ['Claude.local.md', true],
  ['AGENTS', true],
  ['AGENTS.override.md', true],
  ['agent', true],
  ['GEMINI', true],
  ['ＧＥＭＩＮＩ', true],
  ['cla\u200bude', true],
  ['SKILL', true],
  ['copilot-instructions', true],
  ['Copilot_Instructions.md', true],
  ['.cursorrules', true],
  ['.windsurfrules', true],
  ['.clinerules', true],
  ['WARP', true],
  ['QWEN', true],
  ['claude-code-tips', false],
  ['my-agents', false],
  ['skills-matrix', false],
  ['gemini-note', false],
  ['wireguard-mtu', false],
])('%j is a file of instructions: %j', (name, expected) => {
  expect(isInstructionName(name)).toBe(expected);
});

it.each([
  ['Gemini', 'gemini-note'],
  ['Agents', 'agents-note'],
  ['Copilot instructions', 'copilot-instructions-note'],
  ['Gemini and Claude', 'gemini-and-claude'],
])('a note on %j is not called as a file of instructions is', (title, slug) => {
  expect(slugify(title, sha256(''))).toBe(slug);
});

it('gives a queued note another name when it is promoted', () => {
  expect(promoteSlug(vaultPath('raw/2026-11-20-CLAUDE.md'))).toBe('CLAUDE-note');
});
