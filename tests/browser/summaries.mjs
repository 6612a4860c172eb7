// What the tests of the page make summaries with and take the truth from: programs under MPI,
// make_summary (tests/synthetic), and `tsprof export`.

import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const HERE = path.dirname(fileURLToPath(import.meta.url));
export const SOURCE = path.resolve(process.env.TOP_SRCDIR ?? path.join(HERE, "..", ".."));
export const BUILD = path.resolve(process.env.TOP_BUILDDIR ?? SOURCE);
export const GOLDEN = path.join(SOURCE, "tests", "golden");
const COMMAND = path.join(BUILD, "utils", "tsprof");
const RUNTIME = path.join(BUILD, "libprof", ".libs", "libtsprof.so");
const PROGRAMS = path.join(BUILD, "tests", "programs");
const MAKER = path.join(BUILD, "tests", "synthetic", "make_summary");
const TIMEOUT_MS = 60000;
const OUTPUT_BYTES = 1 << 28;

/** The directory that everything goes into; it is removed when the process ends. */
export const directory = fs.mkdtempSync(path.join(os.tmpdir(), "tsprof-browser-"));
process.on("exit", () => {
  if (process.env.BROWSER_KEEP) process.stdout.write(`# kept ${directory}\n`);
  else fs.rmSync(directory, { recursive: true, force: true });
});

/** Cases that are alike, as `some` of tests/e2e/harness.py: of CASES_EVERY=N one in N. */
export function some(cases) {
  const every = Number(process.env.CASES_EVERY ?? 1), first = Number(process.env.CASES_FIRST ?? 0);
  return cases.filter((_, i) => i % every === first % every % cases.length);
}

function run(program, parameters, environment = {}) {
  const result = spawnSync(program, parameters, {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C", ...environment },
    maxBuffer: OUTPUT_BYTES,
    timeout: TIMEOUT_MS,
  });
  if (result.error) throw result.error;
  return result;
}

function mustRun(program, parameters, environment) {
  const result = run(program, parameters, environment);
  if (result.status !== 0)
    throw new Error(`${[program, ...parameters].join(" ")}: ${result.status}\n${result.stderr}`);
  return result.stdout;
}

/** What the command says and how it ends. */
export function tsprof(...parameters) {
  return run(COMMAND, parameters);
}

/** Where a file of this name is, or would be. */
export function place(name) {
  return path.join(directory, name);
}

/** The summary of a synthetic run: options as make_summary takes them. */
export function synthetic(name, ...options) {
  mustRun(MAKER, [...options, place(name)]);
  return place(name);
}

/** The summary of a test program: `settings` are tsprof's, without their prefix. */
export function measure(name, ranks, program, parameters = [], settings = {}) {
  const environment = { TSPROF_OUTPUT: place(name), TSPROF_VERBOSE: "0" };
  for (const [key, value] of Object.entries(settings)) environment[`TSPROF_${key}`] = value;
  mustRun(process.env.MPIRUN ?? "mpirun",
    ["-n", String(ranks), "env", `LD_PRELOAD=${RUNTIME}`, path.join(PROGRAMS, program), ...parameters],
    environment);
  return place(name);
}

/** What a job leaves whose ranks kill themselves after some seconds: the directory of its parts. */
export function killed(name, ranks) {
  const home = place(name);
  fs.mkdirSync(home);
  run(process.env.MPIRUN ?? "mpirun",
    ["-n", String(ranks), "env", `LD_PRELOAD=${RUNTIME}`, path.join(PROGRAMS, "mortal"), "--log", path.join(home, "log"),
      "--us", "20000", "--how", "kill", "--after", "2500000"],
    { TSPROF_OUTPUT: path.join(home, "out.tsprof"), TSPROF_VERBOSE: "0" });
  return home;
}

/** A summary and a trace beside it, of runs that never were; what the trace is made with, and its truth. */
export function traced(name, ranks, ...options) {
  const summary = synthetic(`${name}.tsprof`, "--ranks", String(ranks), "--iterations", "20");
  const truth = mustRun("/usr/bin/python3", ["-B", path.join(SOURCE, "tests", "synthetic", "make_trace.py"), place(`${name}.otf2`),
    "--ranks", String(ranks), ...options]);
  return { summary, truth: JSON.parse(truth) };
}

/** Why there can be no traces here; null: there can. */
export function noTraces() {
  const found = spawnSync("/usr/bin/python3", ["-c", "import otf2"]);
  if (found.error || found.status !== 0) return "python3-otf2 is missing";
  return /without OTF2/.test(tsprof("export", "/", "--format", "perfetto").stderr) ? "built without OTF2" : null;
}

/** The page of a summary, or of parts. */
export function html(summary, ...options) {
  const page = `${summary}.html`;
  fs.rmSync(page, { force: true });
  mustRun(COMMAND, ["html", summary, "-o", page, ...options]);
  return page;
}

/** Rows of CSV as RFC 4180 has it, by the names in the first line. */
export function parseCsv(text) {
  const rows = [];
  const field = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/y;
  let row = [];
  while (field.lastIndex < text.length) {
    const [, value, end] = field.exec(text);
    row.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (end !== ",") {
      rows.push(row);
      row = [];
    }
  }
  const names = rows.shift() ?? [];
  return rows.map((values) => Object.fromEntries(names.map((name, i) => [name, values[i]])));
}

/** The rows of an export, values as numbers. */
export function exported(summary, what, ...options) {
  const text = mustRun(COMMAND, ["export", summary, "--what", what, "--format", "csv", ...options]);
  return parseCsv(text).map((row) => ("value" in row ? { ...row, value: Number(row.value) } : row));
}

/** What a command of tsprof prints about a summary: `told("info", file)`. */
export function told(command, summary, ...options) {
  return mustRun(COMMAND, [command, summary, ...options]);
}

/** Adds up the values of rows by what `key` makes of them. */
export function sumBy(rows, key) {
  const sums = new Map();
  for (const row of rows) sums.set(key(row), (sums.get(key(row)) ?? 0) + row.value);
  return sums;
}

/** What call paths have, exclusive over call paths, summed over ranks and iterations. */
export function byPath(summary, metric, ...options) {
  return sumBy(exported(summary, "callpaths", "--metric", metric, ...options), (row) => row.callpath);
}

/** The same with all that a path calls; the root is all. */
export function inclusiveOf(sums, path) {
  let total = 0;
  for (const [other, value] of sums)
    if (path === "program" || other === path || other.startsWith(`${path};`)) total += value;
  return total;
}

/** What a command that calculates makes: `derive("d.tsprof", "diff", file, ...)`. */
export function derive(name, command, ...parameters) {
  mustRun(COMMAND, [command, ...parameters, "-o", place(name)]);
  return place(name);
}
