/* What is said beside findings.  No DOM. */

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
