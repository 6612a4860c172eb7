/* Round numbers along an axis. */

/** At most about COUNT multiples of 1, 2 or 5 × a power of ten from LOW to HIGH; WHOLE: whole numbers only. */
export function niceTicks(low: number, high: number, count: number, whole: boolean): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999)!;
  const used = whole ? Math.max(1, Math.round(step)) : step;
  const ticks: number[] = [];
  for (let i = Math.ceil(low / used - 1e-9); i * used <= high + used * 1e-9; i++) ticks.push(Number((i * used).toPrecision(12)));
  return ticks;
}
