import { consoleLog } from '../../../src/plugin/server/failure';

it('writes what goes wrong on one line, without the credentials that an error brings along', () => {
  const lines: unknown[] = [];
  const keep = (...line: readonly unknown[]) => void lines.push(...line);
  const spies = [
    jest.spyOn(console, 'warn').mockImplementation(keep),
    jest.spyOn(console, 'error').mockImplementation(keep),
  ];
  try {
    consoleLog.warn('hybrid.failed', {
      error: 'Error: connect postgres://ada:s3cret@db:5432/x\nrefused',
      tries: 2,
      ok: false,
    });
    consoleLog.error('stop.failed', { message: 'Authorization: Bearer abc' });
    consoleLog.info('started', { token: 'x' });
    consoleLog.error('bare');
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  expect(lines).toEqual([
    'Brain Server: hybrid.failed {"error":"Error: connect postgres://[redacted]@db:5432/x\\nrefused","tries":2,"ok":false}',
    'Brain Server: stop.failed {"message":"Authorization: [redacted]"}',
    'Brain Server: bare {}',
  ]);
});
