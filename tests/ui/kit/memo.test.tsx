import { memo } from '../../../src/ui/kit/lists';
import { makeDom } from '../../support/ui/dom';

it('draws anew only when a prop is another value', () => {
  const drawn: string[] = [];
  const Row = memo(({ name, size }: { name: string; size?: number }) => {
    drawn.push(`${name} ${size ?? 'none'}`);
    return <b>{name}</b>;
  });
  const dom = makeDom();
  dom.show(<Row name="a" />);
  dom.show(<Row name="a" />);
  dom.show(<Row name="a" size={1} />);
  dom.show(<Row name="a" size={1} />);
  dom.show(<Row name="b" size={1} />);
  dom.show(<Row name="b" />);
  expect(drawn).toEqual(['a none', 'a 1', 'b 1', 'b none']);
  expect(dom.container.innerHTML).toBe('<b>b</b>');
});
