/* Reads the content of one section (doc/format.md, "Conventions"). */

/** The file is not as the format says; the text says where. */
export class Malformed extends Error {}

const decoder = new TextDecoder("utf-8");

/**
 * Steps through bytes.  Numbers are doubles: whole ones above 2^53 are rounded to 53 bits.
 */
export class Cursor {
  at = 0;
  private readonly view: DataView;

  constructor(
    readonly bytes: Uint8Array,
    readonly name: string,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  fail(text: string): never {
    throw new Malformed(`${this.name} at byte ${this.at}: ${text}`);
  }

  varint(): number {
    const bytes = this.bytes;
    let at = this.at;
    let byte = bytes[at++]!;
    if (byte < 0x80) {
      this.at = at;
      return byte;
    }
    let value = byte & 0x7f;
    let weight = 128;
    do {
      if (at >= bytes.length) this.fail("ends inside a varint");
      byte = bytes[at++]!;
      value += (byte & 0x7f) * weight;
      weight *= 128;
    } while (byte >= 0x80);
    this.at = at;
    return value;
  }

  /** A zigzag number. */
  signed(): number {
    const odd = this.bytes[this.at]! & 1;
    const value = this.varint();
    return odd ? -(value + 1) / 2 : value / 2;
  }

  /** A varint that stands for a number modulo 2^64 that may be below 0. */
  wrapped(): number {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (this.at >= this.bytes.length) this.fail("ends inside a varint");
      const byte = this.bytes[this.at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
  }

  /** Index, or -1 for none. */
  ref(): number {
    return this.varint() - 1;
  }

  index(limit: number): number {
    const value = this.varint();
    if (!(value < limit)) this.fail(`index ${value}, of ${limit}`);
    return value;
  }

  double(): number {
    if (this.at + 8 > this.bytes.length) this.fail("ends inside a double");
    const value = this.view.getFloat64(this.at, true);
    this.at += 8;
    return value;
  }

  string(): string {
    const length = this.varint();
    if (this.at + length > this.bytes.length) this.fail("ends inside a string");
    const text = decoder.decode(this.bytes.subarray(this.at, this.at + length));
    this.at += length;
    return text;
  }

  list<T>(read: (index: number) => T): T[] {
    const count = this.varint();
    if (count > this.bytes.length) this.fail(`${count} things in ${this.bytes.length} bytes`);
    return Array.from({ length: count }, (_, i) => read(i));
  }

  pairs(): Map<string, string> {
    return new Map(this.list(() => [this.string(), this.string()] as [string, string]));
  }
}
