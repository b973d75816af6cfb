import * as z from 'zod';
import {
  envelopeFields,
  frontmatterField,
  hallField,
  limitField,
  reasonField,
} from '../../../src/core/operation/fields';
import { readInput } from '../../../src/core/operation/input';
import { refusal } from '../../support/refusal';

const schema = z.strictObject({
  content: z.string(),
  hall: hallField,
  limit: limitField(50, 10),
  list: z.array(z.strictObject({ title: z.string(), tags: z.array(z.string()).optional() })).optional(),
  frontmatter: frontmatterField,
  title: z.string().min(1).max(8).optional(),
  why: reasonField.optional(),
  ...envelopeFields,
});
const valid = { content: 'x', hall: 'facts' };

it('fills in defaults and takes null at the top for not given', () => {
  expect(readInput(schema, { ...valid, list: null })).toEqual({ ...valid, limit: 10 });
});

it('takes null for not given in the objects of a list too', () => {
  const list = [{ title: 'a', tags: null }, { title: 'b' }];
  expect(readInput(schema, { ...valid, list })).toEqual({
    ...valid,
    limit: 10,
    list: [{ title: 'a' }, { title: 'b' }],
  });
});

it.each<[string, object, string]>([
  ['an unknown field', { ...valid, domain: null }, 'unknown_field'],
  ['one that every object has', { ...valid, constructor: null }, 'unknown_field'],
  ['an unknown field further in', { ...valid, list: [{ title: 'a', name: null }] }, 'unknown_field'],
  ['a required field further in', { ...valid, list: [{ title: null }] }, 'missing_field'],
  ['an object of a list', { ...valid, list: [null] }, 'invalid_field'],
  ['an element of a list', { ...valid, list: [{ title: 'a', tags: [null] }] }, 'invalid_field'],
  ['a key of a map', { ...valid, frontmatter: { a: null } }, 'invalid_field'],
])('refuses null for %s', (_, raw, code) => {
  expect(refusal(() => readInput(schema, raw)).code).toBe(code);
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
  ['a number out of range', { ...valid, limit: 51 }, 'invalid_field', '"limit" must be at most 50.'],
  ['a number below it', { ...valid, limit: 0 }, 'invalid_field', '"limit" must be at least 1.'],
  ['half a number', { ...valid, limit: 1.5 }, 'invalid_field', '"limit" must be a whole number.'],
  ['a text for a number', { ...valid, limit: 'ten' }, 'invalid_field', '"limit" must be a number.'],
  ['a number for a text', { ...valid, content: 7 }, 'invalid_field', '"content" must be a text.'],
  ['an object for a list', { ...valid, list: {} }, 'invalid_field', '"list" must be a list.'],
  [
    'a text that is too long',
    { ...valid, title: 'x'.repeat(9) },
    'invalid_field',
    '"title" must have at most 8 characters.',
  ],
  ['an empty text', { ...valid, title: '' }, 'invalid_field', '"title" must not be empty.'],
  ['a rule in words of its own', { ...valid, why: ' ' }, 'invalid_field', '"why": say in a few words why.'],
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
    '"frontmatter.a" must be a text or a number or true or false or a list.',
  ],
  [
    'an unusable key',
    { ...valid, frontmatter: { 'a: b': 1 } },
    'invalid_field',
    '"frontmatter.a: b" is not usable as a front matter key.',
  ],
  ['no object', [], 'invalid_field', 'The input must be a JSON object'],
  ['text', 'x', 'invalid_field', 'The input must be a JSON object'],
])('refuses %s', (_, raw, code, message) => {
  const error = refusal(() => readInput(schema, raw));
  expect(error.code).toBe(code);
  expect(error.message).toContain(message);
});
