/* The container of a summary: header, section map, sections (doc/format.md, "Layout"). */
import { decompress } from "fzstd";
import { crc32 } from "./crc32";
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
  WAITS,
}

const NAMES = ["", "RUN", "METRICS", "MODULES", "REGIONS", "CALLTREE", "SYSTEM", "PHASES", "LOCATION", "TOPOLOGIES", "WAITS"];
const VERSIONS = [0, 1, 1, 1, 1, 1, 2, 1, 5, 1, 1];
const OLDEST = [0, 1, 1, 1, 1, 1, 2, 1, 3, 1, 1];
const MAGIC = [0x54, 0x53, 0x50, 0x52, 0x4f, 0x46, 0x0d, 0x0a];
const FORMAT_VERSION = 2;
const HEADER_BYTES = 64;
const ENTRY_BYTES = 48;
/** Of a section; a checksum of what is before it ends header and entries, too. */
const CRC_OFFSET = 40;
const RATIO_MOST = 1000;
const ALL = 0xffffffff;

export interface Section {
  kind: number;
  version: number;
  location: number;
  encoding: number;
  /** As stored; a view of the file. */
  stored: Uint8Array;
  decodedBytes: number;
  /** Of what is stored. */
  crc: number;
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
  checkEnd(file.subarray(0, HEADER_BYTES), "the header");
  const count = view.getUint32(32, true);
  if (HEADER_BYTES + count * ENTRY_BYTES > file.length) throw new Malformed(`${count} sections in ${size} bytes`);
  const sections: Section[] = [];
  for (let i = 0; i < count; i++) sections.push(readEntry(file, view, HEADER_BYTES + i * ENTRY_BYTES));
  return { bytes: file.length, partial: view.getUint32(12, true) === 2, sections };
}

/** The last four bytes are the checksum of those before them. */
function checkEnd(bytes: Uint8Array, name: string): void {
  const end = bytes.length - 4;
  const stored = new DataView(bytes.buffer, bytes.byteOffset).getUint32(end, true);
  if (crc32(bytes.subarray(0, end)) !== stored) throw new Malformed(`${name} is damaged: its checksum does not fit`);
}

function readEntry(file: Uint8Array, view: DataView, at: number): Section {
  checkEnd(file.subarray(at, at + ENTRY_BYTES), "the section map");
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
    crc: view.getUint32(at + CRC_OFFSET, true),
  };
}

/** The content of a section, at its beginning. */
export function openSection(section: Section): Cursor {
  const name = NAMES[section.kind] ?? `section ${section.kind}`;
  if (section.version < OLDEST[section.kind]! || section.version > VERSIONS[section.kind]!)
    throw new Malformed(`${name} has version ${section.version}, which this page does not know`);
  if (crc32(section.stored) !== section.crc) throw new Malformed(`${name} is damaged: its checksum does not fit`);
  if (section.encoding === 0) return new Cursor(section.stored, name);
  if (section.encoding !== 1) throw new Malformed(`${name} has encoding ${section.encoding}`);
  return new Cursor(unpack(section, name), name);
}

function unpack(section: Section, name: string): Uint8Array {
  if (section.decodedBytes > section.stored.length * RATIO_MOST) throw new Malformed(`${name} is impossibly large`);
  let content: Uint8Array | undefined;
  try {
    content = decompress(section.stored, new Uint8Array(section.decodedBytes));
  } catch {
    /* What it says is not for users. */
  }
  if (content?.length !== section.decodedBytes) throw new Malformed(`${name} cannot be decompressed`);
  return content;
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
