import { closeApps } from './app-host';
import { describeLostUpdates } from './lost-updates';
import { sharedApp } from './shared-app';

describeLostUpdates('inside the app, which hears of others at once', sharedApp(true));
describeLostUpdates('inside the app, which hears of others later', sharedApp(false));

afterAll(closeApps);
