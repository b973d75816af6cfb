import { outcomeOf, readRecord, sessionFile } from '../../../src/core/sessions/records';

describe('outcomeOf', () => {
  it.each([
    ['pass', 'pass'],
    ['fail', 'fail'],
    ['skip', 'skip'],
    ['ok', 'pass'],
    ['error', 'fail'],
    ['skipped', 'skip'],
    ['PASS', 'pass'],
    ['Ok', 'pass'],
    ['Error', 'fail'],
    [' skipped ', 'skip'],
    ['unknown', 'unknown'],
    ['passed', 'unknown'],
    ['timeout', 'unknown'],
    ['constructor', 'unknown'],
    ['', 'unknown'],
  ])('%j is %s', (status, outcome) => {
    expect(outcomeOf(status)).toBe(outcome);
  });
});

describe('readRecord', () => {
  const at = new Date('2026-11-20T10:32:00Z');

  it.each([
    ['{"skill":"deploy","timestamp":"2026-11-20T10:32:00Z","status":"pass"}', 'pass'],
    ['{"skill":"deploy","timestamp":"2026-11-20T12:32:00+02:00","status":"ok","extra":{"a":[1]}}', 'pass'],
    ['{"skill":"deploy","ts":"2026-11-20T10:32:00.000Z","status":"fail"}', 'fail'],
    ['{"skill":"deploy","timestamp":"2026-11-20T12:32:00+0200","status":"ok"}', 'pass'],
    ['{"skill":"deploy","timestamp":"2026-11-20 05:02:00-0530","status":"ok"}', 'pass'],
    ['{"skill":"deploy","timestamp":"1795170720","status":"pass"}', 'pass'],
    ['{"skill":"deploy","ts":" 1795170720000 ","status":"pass"}', 'pass'],
    ['{"skill":"deploy","time":"1795170720.0","status":"pass"}', 'pass'],
    ['{"skill":"deploy","time":"2026-11-20 10:32","status":"skip"}', 'skip'],
    ['{"skill":"deploy","timestamp":1795170720,"status":"what"}', 'unknown'],
    ['{"skill":"deploy","ts":1795170720000,"status":"ERROR"}', 'fail'],
    ['{"skill":"deploy","timestamp":null,"ts":1795170720,"status":"pass"}', 'pass'],
    ['{"skill":"deploy","timestamp":1795170720,"ts":"yesterday","status":"pass"}', 'pass'],
    ['{"skill":"deploy","time":"yesterday","ts":1795170720,"status":"pass"}', 'pass'],
  ])('%s', (line, outcome) => {
    expect(readRecord(line)).toEqual({ skill: 'deploy', at, outcome });
  });

  it.each([
    ['', 'nothing'],
    ['{"skill":"deploy","timestamp":"2026-11-20T10:3', 'a torn line'],
    ['not json', 'prose'],
    ['null', 'null'],
    ['42', 'a number'],
    ['"pass"', 'a text'],
    ['[{"skill":"deploy","timestamp":1795170720,"status":"pass"}]', 'a list'],
    ['{}', 'an empty object'],
    ['{"timestamp":1795170720,"status":"pass"}', 'no skill'],
    ['{"skill":"","timestamp":1795170720,"status":"pass"}', 'an empty skill'],
    ['{"skill":7,"timestamp":1795170720,"status":"pass"}', 'a skill that is no text'],
    ['{"skill":"deploy","timestamp":1795170720}', 'no status'],
    ['{"skill":"deploy","timestamp":1795170720,"status":true}', 'a status that is no text'],
    ['{"skill":"deploy","status":"pass"}', 'no time'],
    ['{"skill":"deploy","timestamp":"yesterday","status":"pass"}', 'no time that can be read'],
    ['{"skill":"deploy","timestamp":"2026","status":"pass"}', 'a year'],
    ['{"skill":"deploy","timestamp":"20261120","status":"pass"}', 'a day without dashes'],
    ['{"skill":"deploy","timestamp":"20261120103200","status":"pass"}', 'a time without marks'],
    ['{"skill":"deploy","timestamp":"1795170720000000","status":"pass"}', 'microseconds'],
    ['{"skill":"deploy","timestamp":"2026-11-20T10:32:00+02","status":"pass"}', 'half an offset'],
    [
      '{"skill":"deploy","timestamp":"yesterday","ts":1795170720,"status":"pass"}',
      'a wrong time beside a right one',
    ],
    ['{"skill":"deploy","timestamp":1e300,"status":"pass"}', 'a time past all calendars'],
    ['{"skill":"deploy","timestamp":1795170720,"status":"pass"} {}', 'two objects'],
  ])('finds no record in %s (%s)', (line) => {
    expect(readRecord(line)).toBeNull();
  });
});

describe('sessionFile', () => {
  it.each([
    ['2026-11-30T23:59:59Z', 'sessions/2026-11.0123abcd.jsonl'],
    ['2026-12-01T00:00:00Z', 'sessions/2026-12.0123abcd.jsonl'],
  ])('%s', (now, file) => {
    expect(sessionFile(new Date(now), '0123abcd')).toBe(file);
  });
});
