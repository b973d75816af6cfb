// A thread of its own asks a server for its health without a pause, and tells when asked how long the longest answer took
// since it was last asked, in milliseconds, and how many came.
import { Agent, get } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as rest } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let [longest, answers, sent] = [0, 0, performance.now()];
function ask() {
  sent = performance.now();
  get(`${workerData.url}/health`, { agent }, (answer) => answer.resume().on('end', answered)).on(
    'error',
    again,
  );
}
function answered() {
  longest = Math.max(longest, performance.now() - sent);
  answers += 1;
  again();
}
function again() {
  void rest(1).then(ask);
}
parentPort.on('message', () => {
  parentPort.postMessage({ longest, answers });
  [longest, answers] = [0, 0];
});
ask();
