import type { ModelPage } from '../../src/core/extraction/model-page';

/** A page as a model makes it of a text that says "an MTU of 1380 bytes"; `more` may hold what no model ought to say. */
export function modelPage<More extends object = Partial<ModelPage>>(more?: More): ModelPage & More {
  const page: ModelPage = {
    title: 'Tunnel MTU',
    wing: 'homelab',
    hall: 'facts',
    summary: 'The tunnel needs 1380.',
    body: 'It is 1380 bytes.',
    tags: [],
    links: [],
    evidence: ['an MTU of 1380 bytes'],
    half_life: '',
    applies: '',
  };
  return Object.assign(page, more);
}
