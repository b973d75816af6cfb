import Ajv2020 from 'ajv/dist/2020';
import type { ValidateFunction } from 'ajv';
import { openApi } from '../../../src/doors/http/openapi';
import { ROUTES } from '../../../src/doors/http/routes';
import { isSchema, type Schema } from './schema-arbitrary';

/** One method of one path, as the API description has it. */
export interface Described {
  readonly method: string;
  readonly path: string;
  /** What the body must be for a POST; for the others an object of all parameters. */
  readonly input: Schema;
  /** Whether the input is a JSON body. */
  readonly takesBody: boolean;
  /** Whether a file goes with it as the body. */
  readonly takesFile: boolean;
  /** False where no token is asked for. */
  readonly guarded: boolean;
  /** Whether the description's own schema accepts this input. */
  accepts(input: unknown): boolean;
  /** What is wrong with an answer, measured by the description, or null. */
  fault(answer: {
    readonly status: number;
    readonly body: unknown;
    readonly retryAfter: string | null;
  }): string | null;
}

/** The API description of all routes. */
export const API_DESCRIPTION = openApi(ROUTES, '0.0.0-test');

/** Every method of every path of an OpenAPI 3.1 document, apart from those named. */
export function describedApi(document: unknown, except: readonly string[]): Described[] {
  if (!isSchema(document) || !isSchema(document.paths)) throw new Error('no API description');
  const shared = document.components;
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  // A schema of an answer may refer to the document's shared ones.
  const compile = (schema: Schema) => ajv.compile({ ...schema, components: shared });
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(isSchema(methods) ? methods : {})
      .filter(() => !except.includes(path))
      .map(([method, operation]) => describe(method.toUpperCase(), path, asSchema(operation), compile)),
  );
}

function describe(
  method: string,
  path: string,
  operation: Schema,
  compile: (schema: Schema) => ValidateFunction,
): Described {
  const content = asSchema(asSchema(operation.requestBody ?? {}).content ?? {});
  const takesBody = 'application/json' in content;
  const input = takesBody ? bodySchema(operation.requestBody) : parameterSchema(operation.parameters);
  const acceptsInput = compile(input);
  const answers = new Map(
    Object.entries(asSchema(operation.responses)).map(([status, answer]) => {
      const { description, headers } = asSchema(answer);
      const codes = status.startsWith('2') ? null : String(description).split(', ');
      // What a caller has already (304) comes without a body, and a file is no JSON.
      const isJson = 'application/json' in asSchema(asSchema(answer).content ?? {});
      const schema = isJson ? bodySchema(answer) : {};
      return [status, { codes, headers, matches: compile(schema) }];
    }),
  );
  return {
    method,
    path,
    input,
    takesBody,
    takesFile: 'application/octet-stream' in content,
    guarded: !Array.isArray(operation.security) || operation.security.length > 0,
    accepts: (value) => acceptsInput(value),
    fault({ status, body, retryAfter }) {
      const answer = answers.get(String(status));
      if (answer === undefined) return `the status ${status} is not documented`;
      if (!answer.matches(body)) return `the body does not fit: ${JSON.stringify(answer.matches.errors)}`;
      if (answer.codes === null) return null;
      const code = asSchema(asSchema(body).error).code;
      if (!answer.codes.includes(String(code)))
        return `the code ${String(code)} is not documented for ${status}`;
      if (retryAfter !== null && !('Retry-After' in asSchema(answer.headers)))
        return 'Retry-After is not documented';
      return null;
    },
  };
}

/** The JSON schema of a request body or an answer. */
function bodySchema(holder: unknown): Schema {
  return asSchema(asSchema(asSchema(asSchema(holder).content)['application/json']).schema);
}

function parameterSchema(parameters: unknown): Schema {
  const all = (Array.isArray(parameters) ? parameters.map(asSchema) : []).filter(
    (parameter) => parameter.in === 'query',
  );
  return {
    type: 'object',
    properties: Object.fromEntries(all.map(({ name, schema }) => [String(name), schema])),
    required: all.filter(({ required }) => required === true).map(({ name }) => String(name)),
    additionalProperties: false,
  };
}

function asSchema(value: unknown): Schema {
  if (!isSchema(value)) throw new Error(`the description lacks an object: ${JSON.stringify(value)}`);
  return value;
}
