import { styleText } from "node:util";

export type Paint = (text: string) => string;

/** How texts are set off. Each returns what it is given, perhaps with colours. */
export interface Style {
  readonly heading: Paint;
  readonly good: Paint;
  readonly warning: Paint;
  readonly error: Paint;
  readonly faint: Paint;
}

const same: Paint = (text) => text;

export const plain: Style = { heading: same, good: same, warning: same, error: same, faint: same };

const paint =
  (format: Parameters<typeof styleText>[0]): Paint =>
  (text) =>
    // Whether colours are wanted has been decided by whoever chose this style.
    styleText(format, text, { validateStream: false });

export const coloured: Style = {
  heading: paint("bold"),
  good: paint("green"),
  warning: paint("yellow"),
  error: paint("red"),
  faint: paint("gray"),
};
