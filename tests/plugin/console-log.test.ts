import { consoleLog } from '../../src/plugin/console-log';

it('writes what goes wrong on one line, without the credentials that an error brings along', () => {
  const lines: unknown[] = [];
  const [warn, error] = ['warn', 'error'].map((level) =>
    jest
      .spyOn(console, level as 'warn' | 'error')
      .mockImplementation((line: unknown) => void lines.push(line)),
  );
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
    warn?.mockRestore();
    error?.mockRestore();
  }
  expect(lines).toEqual([
    'Brain Server: hybrid.failed {"error":"Error: connect postgres://[redacted]@db:5432/x\\nrefused","tries":2,"ok":false}',
    'Brain Server: stop.failed {"message":"Authorization: [redacted]"}',
    'Brain Server: bare {}',
  ]);
});
