/* Round numbers along an axis. */
import { axisDivisor } from "../ui/numbers";

/** 1, 2 or 5 × a power of ten: about COUNT of them are between LOW and HIGH. */
export function niceStep(low: number, high: number, count: number): number {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999)!;
}

/** Ticks from the one below LOW to the one above HIGH. */
export function enclosingTicks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const step = niceStep(low, high, count);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** At most about COUNT multiples of 1, 2 or 5 × a power of ten from LOW to HIGH; WHOLE: whole numbers only. */
export function niceTicks(low: number, high: number, count: number, whole: boolean): number[] {
  if (!(high > low)) return [low];
  const step = niceStep(low, high, count);
  return multiples(low, high, whole ? Math.max(1, Math.round(step)) : step);
}

function multiples(low: number, high: number, step: number): number[] {
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

/** Multiples of STEP from LOW to HIGH, in UNIT; where its labels are minutes or hours, about as many round numbers of these. */
export function unitTicks(low: number, high: number, step: number, unit: string): number[] {
  const divisor = axisDivisor(Math.max(Math.abs(low), Math.abs(high)), unit);
  if (divisor === 1) return multiples(low, high, step);
  return niceTicks(low / divisor, high / divisor, (high - low) / step, false).map((tick) => tick * divisor);
}

const MOST_POWERS = 6;
/** Where no two of these are between: round numbers, as on any axis. */
const FEW = 4;

/** Between LOW and HIGH, which are above 0: powers of ten, and 2 and 5 times these where there are few. */
export function logarithmicTicks(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const steps = last - first <= 2 ? [1, 2, 5] : [1];
  const each = Math.ceil((last - first) / MOST_POWERS);
  const ticks: number[] = [];
  for (let power = first; power <= last; power += each) for (const step of steps) ticks.push(Number(`${step}e${power}`));
  const inside = ticks.filter((tick) => tick >= low && tick <= high);
  return inside.length > 1 ? inside : niceTicks(low, high, FEW, false);
}
