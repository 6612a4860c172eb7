/* The summaries of tests/golden, and what `tsprof export` says of them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Model } from "../src/model/model";
import { readSummary } from "../src/model/summary";

const directory = process.env["GOLDEN"] ?? "../tests/golden";

/** Of the source tree. */
export const ROOT = join(directory, "..", "..");

export const NAMES = ["alone", "every", "grids", "largest", "plain", "presence", "templates", "threads", "waits"];

export function golden(name: string): Model {
  return new Model(readSummary(new Uint8Array(readFileSync(join(directory, `${name}.tsprof`)))));
}

/** Rows of a table, by column. */
export function table(name: string, what: string): Record<string, string>[] {
  const lines = parseCsv(readFileSync(join(directory, `${name}.${what}.csv`), "utf8"));
  const columns = lines[0]!;
  return lines.slice(1).map((line) => Object.fromEntries(columns.map((column, i) => [column, line[i]!])));
}

/** RFC 4180. */
function parseCsv(text: string): string[][] {
  const lines: string[][] = [];
  for (const [, before, quoted, plain] of text.matchAll(/(^|,|\n)(?:"((?:[^"]|"")*)"|([^,\n\r]*))(?=,|\r?\n|$)/g)) {
    if (before !== ",") lines.push([]);
    lines[lines.length - 1]!.push(quoted === undefined ? plain! : quoted.replace(/""/g, '"'));
  }
  return lines.filter((line) => line.length > 1);
}
