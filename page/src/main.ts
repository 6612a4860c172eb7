/* Where everything begins: in the page, and in the workers that it starts with the same code. */
import { App, Finding, Slices } from "./app";
import { Malformed } from "./format/cursor";
import { readIndex } from "./format/timeline";
import { load, serve } from "./load";
import { Model } from "./model/model";
import { buildPage } from "./ui/page";

declare global {
  interface Window {
    /** For the console and for tests. */
    tsprof?: App;
  }
}

function readFindings(): Finding[] {
  try {
    const found: unknown = JSON.parse(document.getElementById("findings")?.textContent || "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

async function start(): Promise<void> {
  const bar = document.getElementById("progress") as HTMLProgressElement | null;
  const text = document.getElementById("status");
  try {
    const summary = await load((share, what) => {
      if (bar) bar.value = share;
      if (text) text.textContent = `${what} …`;
    });
    const model = new Model(summary);
    await new Promise<void>((done) => new Slices().run(() => model.phasesInPieces(), done));
    const app = new App(model, readFindings(), readIndex());
    window.tsprof = app;
    buildPage(app);
    document.body.dataset.ready = "true";
  } catch (error) {
    document.body.dataset.ready = "error";
    if (text) text.textContent = error instanceof Malformed ? `This page cannot be shown: ${error.message}.` : String(error);
    if (!(error instanceof Malformed)) throw error;
  }
}

if (typeof document === "undefined") serve();
else void start();
