/* Names of functions as people call them, as print/brief_name.c of the command has them. */
import { Definitions } from "../format/definitions";
import { pathNames } from "./summary";

/** What of a C++ name is dropped besides parameter lists and return types. */
export type NameForm = "brief" | "templates";

const KEPT = [
  "(anonymous namespace)",
  "operator()",
  "operator->*",
  "operator->",
  "operator<=>",
  "operator<<=",
  "operator>>=",
  "operator<<",
  "operator>>",
  "operator<=",
  "operator>=",
  "operator<",
  "operator>",
];
/** Tells nothing but that a function is its file's own. */
const ANONYMOUS = "(anonymous namespace)::";
const PART_OF_WORD = /[\w$\u0080-\uffff]/;

/** Behind the bracket at AT, which may hold others, or the end. */
function afterBracket(name: string, at: number): number {
  let depth = 0;
  for (; at < name.length; at++) {
    /* An arrow closes nothing. */
    if (name.startsWith("->", at)) at++;
    else if ("<({[".includes(name[at]!)) depth++;
    else if (">)}]".includes(name[at]!) && --depth === 0) return at + 1;
  }
  return at;
}

/** How long what is kept as it is at AT is, which is not within a word; or 0. */
function specialLength(name: string, at: number): number {
  if (at > 0 && PART_OF_WORD.test(name[at - 1]!)) return 0;
  return KEPT.find((kept) => name.startsWith(kept, at))?.length ?? 0;
}

/** "{lambda#1}" of "{lambda(int)#1}". */
function bracesOf(name: string, begin: number, end: number): string {
  let text = "";
  for (let at = begin; at < end; ) {
    if (name[at] === "(" || name[at] === "<") at = afterBracket(name, at);
    else text += name[at++]!;
  }
  return text;
}

/** What NAME keeps; null: nothing was dropped. */
function keptOf(name: string, form: NameForm): string | null {
  let kept = "";
  let dropped = false;
  for (let at = 0; at < name.length; ) {
    const special = specialLength(name, at);
    const end = afterBracket(name, at);
    if (name.startsWith(ANONYMOUS, at)) {
      at += ANONYMOUS.length;
      dropped = true;
    } else if (special > 0) {
      kept += name.slice(at, at + special);
      at += special;
    } else if (name[at] === "{") {
      kept += bracesOf(name, at, end);
      dropped = true;
      at = end;
    } else if (name[at] === "<" && at > 0) {
      /* "operator<< <char>" */
      kept = form === "templates" ? kept + name.slice(at, end) : kept.replace(/ $/, "");
      dropped = true;
      at = end;
    } else if (name[at] === "(" && at > 0 && name[at - 1] !== " ") {
      dropped = true;
      at = name.startsWith(" const::", end) ? end + " const".length : end;
      if (!name.startsWith("::", at)) break;
    } else {
      kept += name[at++]!;
    }
  }
  return dropped ? kept : null;
}

/** Where the name begins in what was KEPT: behind a return type. */
function nameBegin(kept: string): number {
  let begin = 0;
  for (let at = 0; at < kept.length; at++) {
    const special = specialLength(kept, at);
    if (special > 0) at += special - 1;
    else if (kept[at] === "<" && at > 0) at = afterBracket(kept, at) - 1;
    else if (kept[at] === " " && kept.endsWith("operator", at)) break; /* a conversion, or operator new */
    else if (kept[at] === " ") begin = at + 1;
  }
  return begin;
}

/** "solver::run" for "void solver<double>::run<int>(int*) const"; a name that is none of C++ as it is. */
export function briefName(name: string, form: NameForm = "brief"): string {
  const kept = keptOf(name, form);
  return kept ? kept.slice(nameBegin(kept)) : name;
}

/** By name, as short as it can be without looking like another one of NAMES. */
function shortNames(names: Iterable<string>): Map<string, string> {
  const left = new Set(names);
  const short = new Map<string, string>();
  for (const form of ["brief", "templates"] as const) {
    const alike = new Map<string, string[]>();
    for (const name of left) {
      const shown = briefName(name, form);
      alike.set(shown, [...(alike.get(shown) ?? []), name]);
    }
    for (const [shown, [name, ...others]] of alike)
      if (others.length === 0) {
        short.set(name!, shown);
        left.delete(name!);
      }
  }
  return short;
}

const known = new WeakMap<object, Map<string, string>>();

/** The name of a function of SUMMARY as it is shown: in full if others would look the same. */
export function shownName(summary: Definitions, name: string): string {
  let names = known.get(summary.paths);
  if (!names) known.set(summary.paths, (names = shortNames(summary.paths.map((path) => path.name))));
  return names.get(name) ?? name;
}

/** Names from below the root to PATH, as they are shown. */
export function shownNames(summary: Definitions, path: number): string[] {
  return pathNames(summary, path).map((name) => shownName(summary, name));
}
