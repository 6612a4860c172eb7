/* Numbers for people: three digits, a prefix, the unit. */

/** As long as a plus. */
const MINUS = "\u2212";
const LARGE = ["", "k", "M", "G", "T", "P", "E"];
const SMALL = ["", "m", "µ", "n", "p"];
/** From here on times are shown in minutes, and from as many minutes in hours. */
const LONG_SECONDS = 999.5;

/** "12.3 ms", "4.56 MB", "789", "1.2 M", "28.3 min": VALUE in UNIT (`s`, `bytes`, `occ` or another). "–" for NaN. */
export function quantity(value: number, unit: string): string {
  if (Number.isNaN(value)) return "–";
  if (value === 0) return join("0", "", symbolOf(unit));
  if (unit === "s" && Math.abs(value) >= LONG_SECONDS) return longTime(value);
  let power = thousands(value, unit);
  let scaled = value / 1000 ** power;
  if (Math.abs(Number(scaled.toPrecision(3))) >= 1000 && power < LARGE.length - 1) scaled = value / 1000 ** ++power;
  return join(digits(scaled), prefixOf(power), symbolOf(unit));
}

/** Nobody thinks in kiloseconds. */
function longTime(seconds: number): string {
  const minutes = seconds / 60;
  return Math.abs(minutes) < LONG_SECONDS ? join(digits(minutes), "", "min") : join(digits(minutes / 60), "", "h");
}

/** What values up to MOST are divided by on an axis: that of minutes or hours where their quantity is in these. */
export function axisDivisor(most: number, unit: string): 1 | 60 | 3600 {
  if (unit !== "s" || Math.abs(most) < LONG_SECONDS) return 1;
  return Math.abs(most) / 60 < LONG_SECONDS ? 60 : 3600;
}

/** Labels of an axis up to MOST: all with the same prefix, and as many decimals as their steps need. */
export function axisLabels(values: readonly number[], unit: string, most = largest(values)): string[] {
  const divisor = axisDivisor(most, unit);
  if (divisor > 1) return axisLabels(values.map((value) => value / divisor), divisor === 60 ? "min" : "h");
  const power = most > 0 && unit !== "min" && unit !== "h" ? thousands(tidy(most), unit) : 0;
  const scaled = values.map((value) => tidy(value / 1000 ** power));
  const decimals = Math.max(0, ...scaled.map((value) => (String(tidy(Number(value.toFixed(6)))).split(".")[1] ?? "").length));
  return scaled.map((value) => (value === 0 ? "0" : join(value.toFixed(decimals), prefixOf(power), symbolOf(unit))));
}

function largest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
}

/** What is left of rounding is not shown. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

/** The power of a thousand that VALUE is shown with; counts and bytes have no small ones, seconds no large ones. */
function thousands(value: number, unit: string): number {
  const power = Math.floor(Math.log10(Math.abs(value)) / 3 + 1e-12);
  return Math.min(Math.max(power, unit === "s" ? 1 - SMALL.length : 0), unit === "s" ? 0 : LARGE.length - 1);
}

function prefixOf(power: number): string {
  return power < 0 ? SMALL[-power]! : LARGE[power]!;
}

function symbolOf(unit: string): string {
  return unit === "bytes" ? "B" : unit === "occ" ? "" : unit;
}

function join(number: string, prefix: string, symbol: string): string {
  const signed = number.replace("-", MINUS);
  return prefix || symbol ? `${signed} ${prefix}${symbol}` : signed;
}

/** Three significant digits, and whole numbers below 1000 as they are. */
function digits(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1000) return String(value);
  const text = value.toPrecision(3);
  return text.includes("e") ? String(Number(text)) : text;
}

/** "12.3 %" of a share; "–" for what is not a number. */
export function percent(share: number): string {
  if (!Number.isFinite(share)) return "–";
  if (share === 0) return "0 %";
  const value = share * 100;
  const size = Math.abs(value);
  return `${size >= 99.95 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : size >= 0.095 ? value.toFixed(1) : value.toPrecision(1)} %`.replace("-", MINUS);
}

/** The number as `tsprof export` writes it: all digits of whole numbers, 17 significant ones of others. */
export function exactNumber(value: number): string {
  if (Number.isNaN(value)) return "";
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString();
  return general(value.toPrecision(17));
}

/** What C's %.17g makes of it: without zeros at the end, exponents of at least two digits. */
function general(text: string): string {
  const [mantissa, exponent] = text.split("e") as [string, string?];
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  const power = exponent === undefined ? powerOf(short) : Number(exponent);
  if (exponent === undefined && power >= -4) return short;
  const digits = exponent === undefined ? scientific(short, power) : short;
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

function powerOf(text: string): number {
  const number = Math.abs(Number(text));
  return number === 0 ? 0 : Number(number.toExponential().split("e")[1]);
}

/** "0.0000123" as "1.23". */
function scientific(text: string, power: number): string {
  const sign = text.startsWith("-") ? "-" : "";
  const digits = text.replace(/^-?0\.0*/, "");
  return power < 0 && digits.length > 1 ? `${sign}${digits[0]}.${digits.slice(1)}` : `${sign}${digits}`;
}

/** "3", "3–7": a range with both ends in it. */
export function rangeText(range: readonly [number, number]): string {
  return range[0] === range[1] ? String(range[0]) : `${range[0]}–${range[1]}`;
}

/** "1 rank", "3 ranks". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
