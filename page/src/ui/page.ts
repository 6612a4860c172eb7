/* The frame: title, what stands out, toolbar; below, side by side where there is room, time panel and views. */
import { App, ViewInstance } from "../app";
import { Changed, Theme } from "../state";
import { views } from "../views";
import { h, observeSize, select } from "./dom";
import { findingsPanel } from "./findings";
import { count, quantity } from "./numbers";
import { KeyHelp, installHelp } from "./help";
import { selectionPanel } from "./selection";
import { timePanel } from "./timepanel";
import { toolbar } from "./toolbar";
import "uplot/dist/uPlot.min.css";
import "../style.css";
import "../views/views.css";

export function buildPage(app: App): void {
  const page = document.getElementById("page")!;
  const bar = h("div", { class: "toolbar", role: "toolbar", "aria-label": "What is shown" });
  const time = h("div", { class: "time" });
  const tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Views" });
  const host = h("div", { id: "view", role: "tabpanel", tabindex: -1 });
  const help = installHelp([GRAPH_KEYS, TAB_KEYS]);
  const work = h("div", { class: "work" }, time, h("div", { class: "views" }, tabs, host));
  page.replaceChildren(header(app, help.open), ...(app.findings.length ? [findingsPanel(app)] : []), bar, work, help.element);
  /* What stays below the toolbar must know where that ends. */
  observeSize(bar, () => page.style.setProperty("--toolbar-height", `${bar.offsetHeight}px`));
  document.title = `${titleOf(app)} – tsprof`;
  app.subscribe(theme(app));
  app.subscribe(toolbar(bar, app));
  app.subscribe(timePanel(time, app));
  app.subscribe(selectionPanel(time, app));
  app.subscribe(tabPanel(tabs, host, app));
  app.announce("");
}

function titleOf(app: App): string {
  return app.summary.facts.get("program") || "tsprof";
}

/** Seconds of the rank that was measured longest. */
function wallSeconds(app: App): number {
  return app.summary.locations.reduce((most, location) => Math.max(most, location.wallNs), 0) / 1e9;
}

function header(app: App, openHelp: () => void): HTMLElement {
  const { summary } = app;
  const start = summary.facts.get("start");
  const facts = [
    count(summary.ranks.length, "rank"),
    summary.locations.length > summary.ranks.length && count(summary.locations.length, "thread"),
    count(summary.hosts.length, "host"),
    summary.derived ? summary.facts.get("derived") : quantity(wallSeconds(app), "s"),
    start && !summary.derived && start.replace("T", " ").replace("Z", " UTC"),
  ].filter(Boolean);
  const theme = select("theme", "theme", [["auto", "as the system"], ["light", "light"], ["dark", "dark"]], (value) =>
    app.update({ theme: value as Theme }),
  );
  theme.set(app.state.theme);
  const link = h(
    "button",
    {
      type: "button",
      click: () => {
        void navigator.clipboard?.writeText(app.link).then(
          () => app.announce("The link to what is shown is on the clipboard."),
          () => app.announce("The browser did not let the link be copied; it is in the address line."),
        );
      },
    },
    "Copy link",
  );
  const partial = summary.partial && h("p", { class: "warning" }, "This summary is partial: not every process finished its measurement.");
  return h(
    "header",
    { class: "title" },
    h("div", { class: "title-text" }, h("h1", {}, titleOf(app)), h("p", {}, facts.join(" · ")), partial),
    h("div", { class: "title-actions" }, h("button", { type: "button", "data-testid": "open-help", click: openHelp }, "Keys: ?"), link, theme.element),
  );
}

function theme(app: App): ViewInstance {
  return {
    update(changed: Changed) {
      if (!changed.has("theme")) return;
      document.documentElement.dataset.theme = app.dark ? "dark" : "light";
      const list = document.querySelector<HTMLSelectElement>("select[name=theme]");
      if (list) list.value = app.state.theme;
    },
  };
}

/** The tabs, and the view that is open. */
function tabPanel(tabs: HTMLElement, host: HTMLElement, app: App): ViewInstance {
  let open: { name: string; instance: ViewInstance } | null = null;
  const shown = views.map((view) => ({ view, why: view.unavailable?.(app) ?? null }));
  const buttons = shown.map(({ view, why }) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${view.name}`,
        "data-view": view.name,
        "aria-controls": "view",
        title: why ? `${view.text} Not here: ${why}` : view.text,
        disabled: Boolean(why),
        click: () => app.update({ view: view.name }),
      },
      view.title,
    ),
  );
  tabs.append(...buttons);
  tabs.addEventListener("keydown", (event) => {
    const able = buttons.filter((button) => !button.disabled);
    const at = able.indexOf(document.activeElement as HTMLButtonElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: able.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    const button = able[(next + able.length) % able.length]!;
    button.focus();
    button.click();
  });

  function show(): void {
    const wanted = shown.find(({ view, why }) => view.name === app.state.view && !why)?.view ?? views[0]!;
    for (const button of buttons) {
      const selected = button.dataset.view === wanted.name;
      button.setAttribute("aria-selected", String(selected));
      button.tabIndex = selected ? 0 : -1;
    }
    host.setAttribute("aria-labelledby", `tab-${wanted.name}`);
    open?.instance.destroy?.();
    host.replaceChildren();
    open = { name: wanted.name, instance: wanted.create(host, app) };
  }

  return {
    update(changed: Changed) {
      if (!open || changed.has("view")) {
        show();
        open!.instance.update(new Set(Object.keys(app.state) as (keyof typeof app.state)[]));
      } else open.instance.update(changed);
    },
  };
}

const GRAPH_KEYS: KeyHelp = {
  where: "Iteration graph and value map",
  keys: [
    ["← →", "previous, next iteration; with Shift: choose"],
    ["↑ ↓", "previous, next rank (map); with Shift: choose"],
    ["Page Up, Page Down, Home, End", "further"],
    ["+ −", "zoom in, out; also Ctrl and the wheel, over the minimap, too"],
    ["Enter", "zoom to what is chosen"],
    ["0", "show all"],
    ["Esc", "choose nothing; also a double click"],
  ],
};

const TAB_KEYS: KeyHelp = { where: "Tabs", keys: [["← → Home End", "open another view"]] };
