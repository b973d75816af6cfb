import * as z from 'zod';
import { envelopeFields, frontmatterField, hallField, limitField } from '../../src/core/fields';
import { readInput } from '../../src/core/read-input';
import { refusal } from '../support/refusal';

const schema = z.strictObject({
  content: z.string(),
  hall: hallField,
  limit: limitField(50, 10),
  list: z.array(z.strictObject({ title: z.string() })).optional(),
  frontmatter: frontmatterField,
  ...envelopeFields,
});
const valid = { content: 'x', hall: 'facts' };

it('fills in defaults and takes null at the top for not given', () => {
  expect(readInput(schema, { ...valid, list: null })).toEqual({ ...valid, limit: 10 });
});

it.each<[string, unknown, string, string]>([
  ['a missing text', { hall: 'facts' }, 'missing_field', '"content" is required.'],
  ['a missing word of a closed set', { content: 'x' }, 'missing_field', '"hall" is required.'],
  [
    'null where something is required',
    { ...valid, content: null },
    'missing_field',
    '"content" is required.',
  ],
  [
    'a word outside the set',
    { ...valid, hall: 'fact' },
    'invalid_hall',
    '"hall" must be one of: facts, decisions, failures, hypotheses, sources.',
  ],
  [
    'an envelope value',
    { ...valid, half_life: '' },
    'invalid_envelope',
    '"half_life" must be one of: volatile, seasonal, durable.',
  ],
  ['a number out of range', { ...valid, limit: 51 }, 'invalid_field', '"limit": Too big'],
  [
    'an unknown field, before anything else',
    { hall: 1, wings: 'x' },
    'unknown_field',
    'Unknown field "wings". Allowed: content, hall, limit',
  ],
  [
    'an unknown field further in',
    { ...valid, list: [{ title: 'x', name: 1 }] },
    'unknown_field',
    'Unknown field "name" in "list.0". Leave it out.',
  ],
  ['a missing field further in', { ...valid, list: [{}] }, 'missing_field', '"list.0.title" is required.'],
  [
    'front matter that is not flat',
    { ...valid, frontmatter: { a: { b: 1 } } },
    'invalid_field',
    '"frontmatter.a"',
  ],
  ['an unusable key', { ...valid, frontmatter: { 'a: b': 1 } }, 'invalid_field', '"frontmatter.a: b"'],
  ['no object', [], 'invalid_field', 'The input must be a JSON object'],
  ['text', 'x', 'invalid_field', 'The input must be a JSON object'],
])('refuses %s', (_, raw, code, message) => {
  const error = refusal(() => readInput(schema, raw));
  expect(error.code).toBe(code);
  expect(error.message).toContain(message);
});
