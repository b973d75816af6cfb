function notFaked(name: string): () => never {
  return () => {
    throw new Error(`The fake host has no ${name}: test what needs it in the app itself.`);
  };
}

// What stands for nothing here says so, instead of a wrong answer.
export const finishRenderMath = notFaked('finishRenderMath');
export const htmlToMarkdown = notFaked('htmlToMarkdown');
export const loadMathJax = notFaked('loadMathJax');
export const loadMermaid = notFaked('loadMermaid');
export const loadPdfJs = notFaked('loadPdfJs');
export const loadPrism = notFaked('loadPrism');
export const parsePropertyId = notFaked('parsePropertyId');
export const renderMath = notFaked('renderMath');
export const moment = notFaked('moment');
