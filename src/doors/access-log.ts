import type { Request, RequestHandler, Response } from 'express';
import type { Log } from '../core/host';
import { isRecord } from '../core/rules/record';

/**
 * One line for every request, when its answer is over: what was asked for by the name of its route, and what came of it.
 * Never its address, which holds what was searched for, nor a header or a byte of a body.
 */
export function logRequests(log: Log, callerOf: (req: Request) => string | undefined): RequestHandler {
  return (req, res, next) => {
    const arrived = performance.now();
    res.once('close', () => {
      log.debug('http.request', {
        request_id: res.get('X-Request-Id'),
        method: req.method,
        route: routeOf(req),
        status: res.statusCode,
        ms: Math.round((performance.now() - arrived) * 10) / 10,
        bytes_in: numberOf(req.headers['content-length']),
        bytes_out: numberOf(String(res.get('Content-Length') ?? '')),
        caller: callerOf(req),
        ...(isCut(res) && { cut: true }),
      });
    });
    next();
  };
}

/** The path as the route table has it, or null for one that nobody knows. */
function routeOf(req: Request): string | null {
  const route: unknown = req.route;
  const path = isRecord(route) ? route.path : undefined;
  const first: unknown = Array.isArray(path) ? path.at(0) : path;
  return typeof first === 'string' ? first : null;
}

function isCut(res: Response): boolean {
  return !res.writableFinished;
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
