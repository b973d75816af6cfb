import { closeApps } from './app-host';
import { describeMeanwhile } from './meanwhile';
import { sharedApp } from './shared-app';

describeMeanwhile('inside the app, which hears of it at once', sharedApp(true));
describeMeanwhile('inside the app, which hears of it later', sharedApp(false));

afterAll(closeApps);
