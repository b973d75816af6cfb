import { createLayerStack } from '../../../src/ui/web/layers';

it('shows layers until they are closed, and tells each once', () => {
  const stack = createLayerStack();
  const said: string[] = [];
  const stop = stack.listen(() =>
    said.push(
      stack
        .layers()
        .map(({ title }) => title)
        .join('+'),
    ),
  );
  const closeOne = stack.open('one', 'text', () => said.push('one closed'));
  const closeTwo = stack.open('two', 'text');
  closeOne();
  closeOne();
  closeTwo();
  expect(said).toEqual(['one', 'one+two', 'two', 'one closed', '']);
  stop();
  stack.open('three', 'text');
  expect(said).toHaveLength(5);
});
