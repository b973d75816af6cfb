import { documentWindow } from '../dom/define';

/** HTML as nodes, without scripts, frames, handlers of events and addresses that run code. */
export function sanitizeHTMLToDom(html: string): DocumentFragment {
  // A document of its own: nothing in it runs or loads while it is cleaned.
  const { body } = new (documentWindow(activeDocument).DOMParser)().parseFromString(html, 'text/html');
  for (const el of body.findAll('script, iframe, object, embed, style, link, meta')) el.remove();
  for (const el of body.findAll('*')) {
    for (const name of el.getAttributeNames()) {
      const value = el.getAttribute(name) ?? '';
      if (name.startsWith('on') || /^\s*(javascript|data):/i.test(value)) el.removeAttribute(name);
    }
  }
  const fragment = createFragment();
  fragment.append(...Array.from<ChildNode>(body.childNodes));
  return fragment;
}
