/**
 * The UTF-16 unit at an offset of a text, which must lie within it. The same as `text.charCodeAt(at)`, but four times as fast
 * in loops that many texts go through: V8 looks a method up anew at every call once it has met more than four of the shapes
 * in which it keeps texts (of one or two bytes, slices, names …).
 */
export const unitAt: (text: string, at: number) => number = Function.prototype.call.bind(
  Reflect.get(String.prototype, 'charCodeAt'),
);
