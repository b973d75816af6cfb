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

/** With these a service refuses what it does not know; it may know the same request without it. */
const REFUSED = [400, 422];

/** A model of a service with OpenAI's interface (`POST /chat/completions`): hosted ones, LM Studio, llama.cpp, vLLM. */
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
      // Services differ in which of these they know, and say so in words of their own: the prompt asks for the same.
      if (REFUSED.includes(answer.status)) answer = await service.post('/chat/completions', plain, signal);
      const reply = replyShape.safeParse(service.read(answer));
      const [choice] = reply.success ? reply.data.choices : [];
      if (choice === undefined) throw service.unusable();
      return { text: choice.message.content ?? '', truncated: choice.finish_reason === 'length' };
    },
  };
}
