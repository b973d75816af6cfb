import { closeApps, startApp } from './app-host';
import { describeMatrix } from './matrix';

// The app's interface has no call that cuts a file back.
describeMatrix('inside the app', startApp, { tears: true });

afterAll(closeApps);
