import { closeApps, startApp } from './app-host';
import { describeMatrix } from './matrix';

describeMatrix('inside the app', startApp);

afterAll(closeApps);
