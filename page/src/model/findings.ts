/* What is said beside findings.  No DOM. */

/** What of a finding tells how much it matters: seconds, and of how many; null if that is not known. */
export interface Weight {
  phase: string | null;
  gain?: number | null;
  of?: number | null;
}

/** As in the report (utils/report/report_findings.c): less says nothing about the run. */
const LEAST_SHARE = 0.0005;

function matters({ phase, gain, of }: Weight): boolean {
  return phase === null || gain == null || of == null || gain >= LEAST_SHARE * of;
}

/** What is said: of several phases, PHASES in number, with the one that it is about. */
export function sentenceOf({ phase, text }: { phase: string | null; text: string }, phases: number): string {
  return phase !== null && phases > 1 ? `${phase}: ${text}` : text;
}

/** FINDINGS, the most important first, as those that are seen at once, MOST at most, and others on demand. */
export function divided<F extends Weight>(findings: F[], most: number): [F[], F[]] {
  const first = findings.filter((finding, place) => place === 0 || matters(finding)).slice(0, most);
  return [first, findings.filter((finding) => !first.includes(finding))];
}

/** What a prediction says it would be worth to mend what a finding is about (utils/findings/findings_gains.h). */
export interface Worth {
  seconds: number;
  /** Of what was traced; null if that is not known. */
  percent: number | null;
  text: string;
}

/** That in words; null if no prediction is about it, or none had been made when the page was written. */
export function worthOf(finding: { prediction?: Worth | null }): string | null {
  return finding.prediction ? `What if: ${finding.prediction.text}` : null;
}
