import { createLayerStack } from '../../../src/ui/web/frame';

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

it('closes all layers at once, the last one first, and each as if it had been closed alone', () => {
  const stack = createLayerStack();
  const closed: string[] = [];
  for (const title of ['one', 'two', 'three']) stack.open(title, 'text', () => closed.push(title));
  const closeFour = stack.open('four', 'text', () => closed.push('four'));
  closeFour();
  stack.closeAll();
  stack.closeAll();
  closeFour();
  expect(closed).toEqual(['four', 'three', 'two', 'one']);
  expect(stack.layers()).toEqual([]);
});
