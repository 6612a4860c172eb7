/* Where iterations come from that the program does not mark itself, as `tsprof report` says it. */
import { Location } from "../format/location";
import { briefName } from "./names";
import { Summary } from "./summary";

/** What a location says of a loop that it has cut: `loop.NUMBER.WHAT` among its costs. */
function loopOf(location: Location, phase: number): ((what: string) => number) | undefined {
  for (let number = 0; location.costs.has(`loop.${number}.border`); number++) {
    const fact = (what: string): number => location.costs.get(`loop.${number}.${what}`) ?? 0;
    if (fact("phase") === phase + 1) return fact;
  }
  return undefined;
}

/** "border before MPI_Bcast in solve at solver.c:214", as far as that is known. */
function borderText(summary: Summary, node: number): string {
  const path = summary.paths[summary.pathOf[node] ?? -1];
  if (!path) return "";
  const parent = summary.paths[path.parent];
  const caller = parent && summary.regions[parent.region];
  const file = caller?.file.slice(caller.file.lastIndexOf("/") + 1);
  const line = file && path.lines.length === 1 ? ` at ${file}:${path.lines[0]}` : "";
  return `border before ${summary.regions[path.region]!.name}${caller ? ` in ${briefName(caller.name)}${line}` : ""}`;
}

/** A sentence about the iterations of PHASE; empty where they are marked, or named by TSPROF_ITERATION. */
export function originOf(summary: Summary, phase: number): string {
  for (const location of summary.locations) {
    const loop = loopOf(location, phase);
    if (!loop) continue;
    const share = location.wallNs > 0 ? `, ${Math.round((100 * loop("time_ns")) / location.wallNs)} % of the time` : "";
    const missing = loop("absent");
    const absent = missing ? `, not found on ${missing} rank${missing === 1 ? "" : "s"}` : "";
    const doubt = loop("certain") && !missing ? "" : ", not certain";
    return `Found by tsprof: ${borderText(summary, loop("border"))}${share}${absent}${doubt}.`;
  }
  const slices = summary.phases[phase]?.name === "time slices" ? summary.facts.get("slices") : undefined;
  return slices ? `Slices of time ${slices}; TSPROF_ITERATION can name others.` : "";
}
