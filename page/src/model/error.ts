/* How far clusters are from their iterations (doc/compression.md), by the same rules as `tsprof info`. */
import { Series } from "../format/location";
import { Summary, findMetric, seriesOf } from "./summary";

/** Errors above this are too large to trust, as a share of the largest value in an iteration. */
export const ERROR_LIMIT = 0.05;

/** Metrics with less than this share of the first of JUDGED do not mislead anybody. */
const JUDGED_SHARE = 0.01;
const JUDGED = ["execution", "computation", "mpi"];

export interface Quality {
  phase: number;
  /** That have a profile, counted on each location. */
  iterations: number;
  /** Of those, in clusters of more than one. */
  clustered: number;
  lost: number;
  unmapped: number;
  /** The most clusters that a location was asked for; 0: all iterations. */
  asked: number;
  /** By metric: the figure, a share of `maxima`. */
  errors: Float64Array;
  /** By metric, in stored units: the largest value that an iteration had. */
  maxima: Float64Array;
  /** Metrics whose errors matter. */
  judged: number[];
  /** The judged metric with the largest error above the limit, or -1. */
  verdict: number;
}

export function qualityOf(summary: Summary, phase: number): Quality {
  const spreads = new Float64Array(summary.metrics.length);
  const quality: Quality = {
    phase,
    iterations: 0,
    clustered: 0,
    lost: 0,
    unmapped: 0,
    asked: 0,
    errors: new Float64Array(summary.metrics.length),
    maxima: new Float64Array(summary.metrics.length),
    judged: [],
    verdict: -1,
  };
  for (const location of summary.locations) {
    const series = seriesOf(location, phase);
    if (series) addSeries(quality, spreads, series, findMetric(summary, "visits"));
  }
  spreads.forEach((spread, m) => (quality.errors[m] = figure(spread, quality.iterations, quality.maxima[m]!)));
  judge(summary, quality);
  return quality;
}

/** Maxima of VISITS count frames that are not shown, too: the error is a share of what users see. */
function addSeries(quality: Quality, spreads: Float64Array, series: Series, visits: number): void {
  const width = series.maxima.length;
  quality.asked = Math.max(quality.asked, series.asked);
  quality.lost += series.lost;
  quality.unmapped += series.unmapped;
  series.maximumMetrics.forEach((metric, i) => {
    const hidden = metric === visits ? series.hidden.reduce((most, sum, k) => Math.max(most, sum / series.sizes[k]!), 0) : 0;
    quality.maxima[metric] = Math.max(quality.maxima[metric]!, series.maxima[i]! - hidden);
    for (let k = 0; k < series.clusters; k++) spreads[metric]! += series.spreads[k * width + i]!;
  });
  for (const size of series.sizes) {
    quality.iterations += size;
    if (size > 1) quality.clustered += size;
  }
}

/** The root mean square error of ITERATIONS as a share of MAXIMUM. */
function figure(spread: number, iterations: number, maximum: number): number {
  return iterations > 0 && maximum > 0 ? Math.sqrt(spread / iterations) / maximum : 0;
}

function judge(summary: Summary, quality: Quality): void {
  let whole = 0;
  let worst = ERROR_LIMIT;
  for (const name of JUDGED) {
    const metric = findMetric(summary, name);
    const most = metric < 0 ? 0 : quality.maxima[metric]!;
    whole = Math.max(whole, most);
    if (most <= 0 || most < JUDGED_SHARE * whole) continue;
    quality.judged.push(metric);
    if (quality.errors[metric]! > worst) {
      worst = quality.errors[metric]!;
      quality.verdict = metric;
    }
  }
}

/** The same figure of one cluster's iterations, as a share of the phase's largest value; 0 of one iteration. */
export function clusterError(quality: Quality, series: Series, cluster: number, metric: number): number {
  const i = series.maximumMetrics.indexOf(metric);
  if (i < 0) return 0;
  const spread = series.spreads[cluster * series.maxima.length + i]!;
  return figure(spread, series.sizes[cluster]!, quality.maxima[metric]!);
}
