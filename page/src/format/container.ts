/* The container of a summary: header, section map, sections (doc/format.md, "Layout"). */
import { decompress } from "fzstd";
import { Cursor, Malformed } from "./cursor";

export const enum Kind {
  RUN = 1,
  METRICS,
  MODULES,
  REGIONS,
  CALLTREE,
  SYSTEM,
  PHASES,
  LOCATION,
  TOPOLOGIES,
}

const NAMES = ["", "RUN", "METRICS", "MODULES", "REGIONS", "CALLTREE", "SYSTEM", "PHASES", "LOCATION", "TOPOLOGIES"];
const VERSIONS = [0, 1, 1, 1, 1, 1, 2, 1, 3, 1];
const MAGIC = [0x54, 0x53, 0x50, 0x52, 0x4f, 0x46, 0x0d, 0x0a];
const FORMAT_VERSION = 2;
const HEADER_BYTES = 64;
const ENTRY_BYTES = 48;
const ALL = 0xffffffff;

export interface Section {
  kind: number;
  version: number;
  location: number;
  encoding: number;
  /** As stored; a view of the file. */
  stored: Uint8Array;
  decodedBytes: number;
}

export interface Container {
  bytes: number;
  partial: boolean;
  sections: Section[];
}

export function openContainer(file: Uint8Array): Container {
  if (file.length < HEADER_BYTES || MAGIC.some((byte, i) => file[i] !== byte))
    throw new Malformed("this is not a summary");
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const version = view.getUint32(8, true);
  if (version !== FORMAT_VERSION)
    throw new Malformed(`the summary has format version ${version}, this page reads ${FORMAT_VERSION}`);
  const size = Number(view.getBigUint64(16, true));
  if (size !== file.length)
    throw new Malformed(`the summary should have ${size} bytes, ${file.length} are here: the page was cut`);
  const count = view.getUint32(32, true);
  if (HEADER_BYTES + count * ENTRY_BYTES > file.length) throw new Malformed(`${count} sections in ${size} bytes`);
  const sections: Section[] = [];
  for (let i = 0; i < count; i++) sections.push(readEntry(file, view, HEADER_BYTES + i * ENTRY_BYTES));
  return { bytes: file.length, partial: view.getUint32(12, true) === 2, sections };
}

function readEntry(file: Uint8Array, view: DataView, at: number): Section {
  const offset = Number(view.getBigUint64(at + 16, true));
  const stored = Number(view.getBigUint64(at + 24, true));
  if (offset + stored > file.length) throw new Malformed("a section lies outside the file");
  return {
    kind: view.getUint32(at, true),
    version: view.getUint32(at + 4, true),
    location: view.getUint32(at + 8, true),
    encoding: view.getUint32(at + 12, true),
    stored: file.subarray(offset, offset + stored),
    decodedBytes: Number(view.getBigUint64(at + 32, true)),
  };
}

/** The content of a section, at its beginning. */
export function openSection(section: Section): Cursor {
  const name = NAMES[section.kind] ?? `section ${section.kind}`;
  if (section.version !== VERSIONS[section.kind])
    throw new Malformed(`${name} has version ${section.version}, which this page does not know`);
  if (section.encoding === 0) return new Cursor(section.stored, name);
  if (section.encoding !== 1) throw new Malformed(`${name} has encoding ${section.encoding}`);
  const content = decompress(section.stored, new Uint8Array(section.decodedBytes));
  return new Cursor(content, name);
}

/** The section of KIND that is about all locations; undefined if there is none. */
export function findSection(container: Container, kind: Kind): Section | undefined {
  return container.sections.find((section) => section.kind === kind && section.location === ALL);
}

/** Those of locations, in the order of their numbers. */
export function locationSections(container: Container): Section[] {
  return container.sections
    .filter((section) => section.kind === Kind.LOCATION)
    .sort((a, b) => a.location - b.location);
}
