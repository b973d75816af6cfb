import type { App, MarkdownPostProcessorContext, Component as RealComponent } from 'obsidian';
import { Component } from '../core/component';
import { type HostState, stateOf } from '../core/host-state';

export class MarkdownRenderChild extends Component {
  containerEl: HTMLElement;

  constructor(containerEl: HTMLElement) {
    super();
    this.containerEl = containerEl;
  }
}

const BLOCK = /^(```+|~~~+)[ \t]*(\S*)[^\n]*\n([\s\S]*?)^\1[ \t]*$/m;

/**
 * Draws paragraphs and code blocks, no more. Like the real one it runs whatever plugins have registered for a code block's
 * language: rendering a text means running what its author put in.
 */
export abstract class MarkdownRenderer extends MarkdownRenderChild {
  static async render(
    app: App,
    markdown: string,
    el: HTMLElement,
    sourcePath: string,
    component: RealComponent,
  ): Promise<void> {
    const state = stateOf(app);
    state.rendered.push({ markdown, sourcePath });
    const root = el.createDiv('markdown-rendered');
    const context = contextFor(sourcePath, component);
    let rest = markdown;
    for (let block = BLOCK.exec(rest); block !== null; block = BLOCK.exec(rest)) {
      const [whole, , language = '', code = ''] = block;
      drawParagraphs(root, rest.slice(0, block.index));
      await drawCode(state, root, language, code, context);
      rest = rest.slice(block.index + whole.length);
    }
    drawParagraphs(root, rest);
  }
}

function drawParagraphs(root: HTMLElement, text: string): void {
  for (const paragraph of text.split(/\n{2,}/)) {
    if (paragraph.trim() !== '') root.createEl('p', { text: paragraph.trim() });
  }
}

async function drawCode(
  state: HostState,
  root: HTMLElement,
  language: string,
  code: string,
  context: MarkdownPostProcessorContext,
): Promise<void> {
  const handler = state.codeBlocks.get(language);
  if (handler !== undefined) await handler(code, root.createDiv(`block-language-${language}`), context);
  else root.createEl('pre').createEl('code', { cls: `language-${language}`, text: code });
}

function contextFor(sourcePath: string, component: RealComponent): MarkdownPostProcessorContext {
  return {
    docId: sourcePath,
    sourcePath,
    frontmatter: null,
    addChild: (child) => {
      component.addChild(child);
    },
    getSectionInfo: () => null,
  };
}
