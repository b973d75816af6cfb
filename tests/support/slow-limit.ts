// For tests that name no limit: they start many processes or do thousands of writes, on machines that do other things too.
jest.setTimeout(180_000);
