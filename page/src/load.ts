/*
 * From what the page holds to a summary in memory.  Base64 is decoded in pieces, locations in workers if they are
 * many, so the page shows how far it is all the while.
 */
import { Container, locationSections, openContainer, openSection, Section } from "./format/container";
import { Malformed } from "./format/cursor";
import { readDefinitions } from "./format/definitions";
import { Location, LocationContext, readLocation, transferables } from "./format/location";
import { Summary, assemble, locationContext } from "./model/summary";

/** Told how far reading is, 0 … 1. */
export type Progress = (share: number, what: string) => void;

const DATA = 'script[type="application/octet-stream;base64"]';
/** Below this many bytes of content starting workers takes longer than doing it. */
const WORKER_BYTES = 4 << 20;
const MOST_WORKERS = 8;
const BATCH = 8;

const DECODED = 0.25; // of the progress bar

/** Lets the page paint. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

export async function load(progress: Progress): Promise<Summary> {
  const file = await decodeFile(progress);
  const container = openContainer(file);
  const definitions = readDefinitions(container);
  const locations = await readLocations(container, locationContext(definitions), progress);
  return assemble(definitions, locations);
}

/** The bytes of the summary; the elements that held them are removed. */
async function decodeFile(progress: Progress): Promise<Uint8Array> {
  const elements = [...document.querySelectorAll(DATA)];
  const length = elements.reduce((sum, element) => sum + element.textContent!.length, 0);
  if (length === 0) throw new Malformed("there is no summary in this page");
  const bytes = new Uint8Array((length / 4) * 3);
  let at = 0;
  let shown = 0;
  for (const element of elements) {
    at += decodeBase64(element.textContent!, bytes, at);
    element.remove();
    if (at - shown > 8 << 20) {
      shown = at;
      progress((DECODED * at) / bytes.length, "decoding");
      await pause();
    }
  }
  return bytes.subarray(0, at);
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUE_OF = new Uint8Array(128);
[...DIGITS].forEach((digit, i) => (VALUE_OF[digit.charCodeAt(0)] = i));

/** Decodes TEXT, without line breaks, to OUT from AT on; returns the number of bytes. */
export function decodeBase64(text: string, out: Uint8Array, at: number): number {
  const length = text.length;
  if (length % 4) throw new Malformed("the page was cut");
  const begin = at;
  for (let i = 0; i < length; i += 4) {
    const word =
      (VALUE_OF[text.charCodeAt(i)]! << 18) |
      (VALUE_OF[text.charCodeAt(i + 1)]! << 12) |
      (VALUE_OF[text.charCodeAt(i + 2)]! << 6) |
      VALUE_OF[text.charCodeAt(i + 3)]!;
    out[at++] = word >> 16;
    out[at++] = word >> 8;
    out[at++] = word;
  }
  if (text.endsWith("==")) at--;
  if (text.endsWith("=")) at--;
  return at - begin;
}

async function readLocations(container: Container, context: LocationContext, progress: Progress): Promise<Location[]> {
  const sections = locationSections(container);
  const bytes = sections.reduce((sum, section) => sum + section.decodedBytes, 0);
  const workers = bytes > WORKER_BYTES ? startWorkers() : [];
  const tell = (done: number): void =>
    progress(DECODED + (1 - DECODED) * (done / Math.max(1, sections.length)), `reading ${done} of ${sections.length}`);
  if (workers.length === 0) return readHere(sections, context, tell);
  try {
    return await readInWorkers(workers, sections, context, tell);
  } catch (error) {
    if (error instanceof Malformed) throw error;
    return readHere(sections, context, tell);
  } finally {
    workers.forEach((worker) => worker.terminate());
  }
}

async function readHere(sections: Section[], context: LocationContext, tell: (done: number) => void): Promise<Location[]> {
  const locations: Location[] = [];
  let paused = performance.now();
  for (const section of sections) {
    locations.push(readLocation(openSection(section), context, section.version));
    if (performance.now() - paused > 40) {
      tell(locations.length);
      await pause();
      paused = performance.now();
    }
  }
  return locations;
}

/** What a worker is sent: numbers of the sections, and the sections. */
interface Task {
  context: LocationContext;
  first: number;
  sections: Section[];
}

type Answer = { first: number; locations: Location[] } | { malformed: string };

/** Workers that run this page's own code; none if the browser does not let a file start them. */
function startWorkers(): Worker[] {
  const code = document.getElementById("code")?.textContent;
  if (!code) return [];
  try {
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const count = Math.min(Math.max(navigator.hardwareConcurrency || 1, 1), MOST_WORKERS);
    return Array.from({ length: count }, () => new Worker(url));
  } catch {
    return [];
  }
}

function readInWorkers(
  workers: Worker[],
  sections: Section[],
  context: LocationContext,
  tell: (done: number) => void,
): Promise<Location[]> {
  const locations = new Array<Location>(sections.length);
  let next = 0;
  let done = 0;
  return new Promise((resolve, reject) => {
    const send = (worker: Worker): void => {
      if (next >= sections.length) return;
      const task: Task = { context, first: next, sections: sections.slice(next, next + BATCH).map(copySection) };
      next += BATCH;
      worker.postMessage(task, task.sections.map((section) => section.stored.buffer as ArrayBuffer));
    };
    const take = (worker: Worker, answer: Answer): void => {
      if ("malformed" in answer) return reject(new Malformed(answer.malformed));
      answer.locations.forEach((location, i) => (locations[answer.first + i] = location));
      done += answer.locations.length;
      tell(done);
      if (done === sections.length) resolve(locations);
      else send(worker);
    };
    for (const worker of workers) {
      worker.onmessage = (event: MessageEvent<Answer>) => take(worker, event.data);
      worker.onerror = (event) => reject(new Error(event.message));
      send(worker);
      send(worker);
    }
  });
}

function copySection(section: Section): Section {
  return { ...section, stored: section.stored.slice() };
}

/** What this code does where it is a worker. */
export function serve(): void {
  self.onmessage = (event: MessageEvent<Task>) => {
    const { context, first, sections } = event.data;
    const post = (answer: Answer, transfer: Transferable[]): void =>
      (self as unknown as Worker).postMessage(answer, transfer);
    try {
      const locations = sections.map((section) => readLocation(openSection(section), context, section.version));
      post({ first, locations }, locations.flatMap(transferables));
    } catch (error) {
      post({ malformed: error instanceof Error ? error.message : String(error) }, []);
    }
  };
}
