import * as z from 'zod';
import type { LanguageModel } from '../../core/ports/ports';
import { modelService, type ServiceOptions } from './service';

/** The context window for prompt and reply together (tokens), and the steps in which it grows. */
const CONTEXT = 16_384;
const CONTEXT_STEP = 8_192;

const replyShape = z.object({
  message: z.object({ content: z.string() }),
  done_reason: z.string().optional(),
});

/** Returns a model of an Ollama server (`POST /api/chat`, not streamed). */
export function ollamaModel(options: ServiceOptions): LanguageModel {
  const service = modelService(options);
  return {
    name: options.model,
    async complete({ system, user, schema, maxTokens, signal }) {
      const answer = await service.post(
        '/api/chat',
        {
          model: options.model,
          messages: [
            { role: 'system', content: system },
            { role: 'user', content: user },
          ],
          format: schema,
          stream: false,
          // Thinking and a format exclude each other, and the thoughts are not used.
          think: false,
          options: {
            temperature: 0,
            num_ctx: contextFor(system.length + user.length, nonAscii(system) + nonAscii(user), maxTokens),
          },
        },
        signal,
      );
      const reply = replyShape.safeParse(service.read(answer));
      if (!reply.success) throw service.unusable();
      return { text: reply.data.message.content, truncated: reply.data.done_reason === 'length' };
    },
  };
}

/**
 * Returns the context window that a request needs (tokens). Ollama silently cuts the beginning of a longer prompt, which
 * holds the rules. A character outside ASCII may be a token of its own; of the others at least three make one.
 */
function contextFor(length: number, foreign: number, maxTokens: number): number {
  const needed = foreign + (length - foreign) / 3 + maxTokens;
  return Math.max(CONTEXT, Math.ceil(needed / CONTEXT_STEP) * CONTEXT_STEP);
}

function nonAscii(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) count += 1;
  return count;
}
