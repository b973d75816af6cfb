import * as z from 'zod';
import type { LanguageModel } from '../../core/ports/ports';
import { modelService, type ServiceOptions } from './service';

const replyShape = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullable() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
});

/** The statuses with which a service refuses a field that it does not know; it may accept the request without it. */
const REFUSED = [400, 422];

/**
 * Returns a model of a service with OpenAI's interface (`POST /chat/completions`): hosted ones, LM Studio, llama.cpp, vLLM.
 */
export function openAiModel(options: ServiceOptions): LanguageModel {
  const service = modelService(options);
  return {
    name: options.model,
    async complete({ system, user, schema, maxTokens, signal }) {
      const plain = {
        model: options.model,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
      };
      const whole = {
        ...plain,
        temperature: 0,
        max_tokens: maxTokens,
        response_format: { type: 'json_schema', json_schema: { name: 'reply', strict: true, schema } },
      };
      let answer = await service.post('/chat/completions', whole, signal);
      // Services differ in which of these fields they know, and report it in different words. The prompt asks for the same.
      if (REFUSED.includes(answer.status)) answer = await service.post('/chat/completions', plain, signal);
      const reply = replyShape.safeParse(service.read(answer));
      const [choice] = reply.success ? reply.data.choices : [];
      if (choice === undefined) throw service.unusable();
      return { text: choice.message.content ?? '', truncated: choice.finish_reason === 'length' };
    },
  };
}
