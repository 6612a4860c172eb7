/* How the run was measured, where it ran, and what this page is made of. */
import { App, View } from "../app";
import { h } from "../ui/dom";
import { quantity } from "../ui/numbers";
import { panel } from "../ui/panel";

export const about: View = {
  name: "about",
  title: "About",
  text: "How the run was measured, hosts, settings, and the licences of what is in this page.",
  create(host, app) {
    host.append(h("div", { class: "panels" }, run(app), settings(app), hosts(app), page()));
    return { update: () => undefined };
  },
};

/** Units of facts, by how their names end. */
const UNITS: Record<string, string> = { bytes: "bytes", hz: "Hz" };

function withUnit([key, value]: readonly [string, string]): readonly [string, string] {
  const unit = UNITS[key.slice(key.lastIndexOf("_") + 1)];
  return [key, unit && /^\d+$/.test(value) ? quantity(Number(value), unit) : value];
}

function table(rows: (readonly [string, string])[]): HTMLElement {
  return h("table", { class: "facts" }, h("tbody", {}, ...rows.map(([key, value]) => h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, value)))));
}

function run(app: App): HTMLElement {
  const box = panel("The run");
  const facts = [...app.summary.facts].filter(([key]) => !key.startsWith("setting."));
  box.body.append(table(facts.map(withUnit)));
  return box.element;
}

function settings(app: App): HTMLElement {
  const box = panel("Settings");
  const { facts } = app.summary;
  const rows = [...facts]
    .filter(([key]) => /^setting\.[^.]+$/.test(key))
    .map(([key, value]) => {
      const source = facts.get(`${key}.source`);
      return [`TSPROF_${key.slice("setting.".length)}`, source && source !== "default" ? `${value} (${source})` : value] as const;
    });
  box.body.append(table(rows));
  return box.element;
}

function hosts(app: App): HTMLElement {
  const box = panel("Hosts");
  box.body.append(...app.summary.hosts.map((host) => h("div", {}, h("h3", {}, host.name), table([...host.facts].map(withUnit)))));
  return box.element;
}

function page(): HTMLElement {
  const box = panel("This page");
  box.body.append(
    h("p", {}, "Made by tsprof html. It holds the whole summary and needs no network; what is shown is in its address, which can be copied."),
    h("details", {}, h("summary", {}, "Licences of the libraries in it"), h("pre", {}, document.getElementById("licences")?.textContent ?? "")),
  );
  return box.element;
}
