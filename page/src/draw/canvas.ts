/* Widths of texts on canvases. */


const widths = new Map<string, number>();
const MOST_WIDTHS = 20000;

/** As context.measureText, which is slow, remembers. */
export function textWidth(context: CanvasRenderingContext2D, text: string): number {
  const key = `${context.font}\n${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  if (widths.size > MOST_WIDTHS) widths.clear();
  const { width } = context.measureText(text);
  widths.set(key, width);
  return width;
}
