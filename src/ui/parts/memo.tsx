import { Component, type ComponentType, type VNode } from 'preact';

/**
 * The component, drawn anew only when one of its props is another value than before. For rows of long lists; their functions
 * must then be the same from one drawing to the next.
 */
export function memo<Props extends object>(Inner: ComponentType<Props>): ComponentType<Props> {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      return !sameProps(this.props, next);
    }

    override render(): VNode {
      return <Inner {...this.props} />;
    }
  };
}

function sameProps(before: object, after: object): boolean {
  const old = new Map(Object.entries(before));
  const now = Object.entries(after);
  return (
    old.size === now.length && now.every(([name, value]) => old.has(name) && Object.is(old.get(name), value))
  );
}
