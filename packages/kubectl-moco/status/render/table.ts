import type { Paint } from "./style.ts";

/** A text, and how it is set off once its width is known. */
export interface Cell {
  readonly text: string;
  readonly paint?: Paint | undefined;
}

export function cell(text: string | number, paint?: Paint): Cell {
  return { text: String(text), paint };
}

/** Columns that line up, two blanks apart, each line indented by two. Columns that are empty in all rows are left out. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const used = headings.map((_, column) => rows.some((row) => row[column]?.text));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.text.length ?? 0)),
  );
  const line = (cells: readonly Cell[]): string => {
    const parts = cells.flatMap(({ text, paint = (same) => same }, column) =>
      used[column] ? [(text && paint(text)) + " ".repeat(widths[column]! - text.length)] : [],
    );
    return `  ${parts.join("  ")}`.trimEnd();
  };
  return [line(headings.map((heading) => cell(heading))), ...rows.map((row) => line(row))];
}
