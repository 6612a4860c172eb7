/* Draws a surface with WebGL 2. */
import { Rgb } from "../ui/colours";
import { BOX, coarser, heights, matrixOf, triangles, widened, type Camera, type Grid, type View } from "./surface_geometry";

const VERTEX_SHADER = `#version 300 es
in float height;
in float share;
uniform mat4 camera;
uniform vec2 size;
uniform int columns;
uniform vec2 step;
out vec3 at;
out float shade;
void main() {
  vec2 cell = vec2(float(gl_VertexID % columns), float(gl_VertexID / columns));
  at = vec3(step * cell - size, height);
  shade = share;
  gl_Position = camera * vec4(at, 1.0);
}`;

/* Between two points it is the value that is in between, not the colour: so all colours are those of the scale.
 * Slopes are a little darker than what is level, so that the shape is seen; the derivative of the
 * place gives the normal without a table of normals. */
const FRAGMENT_SHADER = `#version 300 es
precision highp float;
in vec3 at;
in float shade;
uniform sampler2D palette;
out vec4 pixel;
void main() {
  vec3 normal = normalize(cross(dFdx(at), dFdy(at)));
  float light = 0.72 + 0.28 * abs(normal.z);
  pixel = vec4(texture(palette, vec2(shade, 0.5)).rgb * light, 1.0);
}`;

const PALETTE_SIZE = 512;
/** Points while it is turned where that takes long: as many as can be told apart in motion. */
const COARSE_COLUMNS = 128;
const COARSE_ROWS = 64;

function compile(gl: WebGL2RenderingContext, kind: number, source: string): WebGLShader {
  const shader = gl.createShader(kind)!;
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

/** The points of a surface, and the triangles between them. */
class Mesh {
  private readonly heights: WebGLBuffer;
  private readonly shares: WebGLBuffer;
  private readonly list: WebGLBuffer;
  private count = 0;
  private trianglesOf = "";
  private shape = { columns: 2, rows: 2 };

  constructor(private readonly gl: WebGL2RenderingContext) {
    [this.heights, this.shares, this.list] = [gl.createBuffer()!, gl.createBuffer()!, gl.createBuffer()!];
  }

  load(grid: Grid, position: (value: number) => number): void {
    const { gl } = this;
    const surface = widened(grid);
    this.loadTriangles(surface);
    const shares = surface.values.map((value) => (Number.isNaN(value) ? 0 : position(value)));
    gl.bindBuffer(gl.ARRAY_BUFFER, this.heights);
    gl.bufferData(gl.ARRAY_BUFFER, heights(surface), gl.STATIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.shares);
    gl.bufferData(gl.ARRAY_BUFFER, shares, gl.STATIC_DRAW);
    this.shape = { columns: surface.columns, rows: surface.rows };
  }

  /** Where every value is known these are the same for every grid of the same size. */
  private loadTriangles(surface: Grid): void {
    const { gl } = this;
    const key = surface.values.some(Number.isNaN) ? "" : `${surface.columns} ${surface.rows}`;
    if (key !== "" && key === this.trianglesOf) return;
    const list = triangles(surface);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.list);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, list, gl.STATIC_DRAW);
    this.count = list.length;
    this.trianglesOf = key;
  }

  draw(program: WebGLProgram): void {
    const { gl } = this;
    const { columns, rows } = this.shape;
    this.attribute(program, "height", this.heights);
    this.attribute(program, "share", this.shares);
    gl.uniform2f(gl.getUniformLocation(program, "size"), BOX.x, BOX.y);
    gl.uniform1i(gl.getUniformLocation(program, "columns"), columns);
    gl.uniform2f(gl.getUniformLocation(program, "step"), (2 * BOX.x) / (columns - 1), (2 * BOX.y) / (rows - 1));
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.list);
    gl.drawElements(gl.TRIANGLES, this.count, gl.UNSIGNED_INT, 0);
  }

  private attribute(program: WebGLProgram, name: string, buffer: WebGLBuffer): void {
    const { gl } = this;
    const place = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 1, gl.FLOAT, false, 0, 0);
  }
}

export class SurfaceGl {
  private readonly program: WebGLProgram;
  private readonly fine: Mesh;
  private readonly coarse: Mesh;
  private readonly texture: WebGLTexture;

  /** Null if this browser has no WebGL 2, or the shaders do not work in it. */
  static create(canvas: HTMLCanvasElement): SurfaceGl | null {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: true });
    if (!gl) return null;
    const program = gl.createProgram()!;
    gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, VERTEX_SHADER));
    gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, FRAGMENT_SHADER));
    gl.linkProgram(program);
    return gl.getProgramParameter(program, gl.LINK_STATUS) ? new SurfaceGl(gl, program) : null;
  }

  private constructor(
    private readonly gl: WebGL2RenderingContext,
    program: WebGLProgram,
  ) {
    this.program = program;
    this.texture = gl.createTexture()!;
    this.fine = new Mesh(gl);
    this.coarse = new Mesh(gl);
  }

  /** POSITION says where a value is on the scale, 0 to 1, and PALETTE what colour that is. */
  load(grid: Grid, position: (value: number) => number, palette: (share: number) => Rgb): void {
    this.fine.load(grid, position);
    this.coarse.load(coarser(grid, COARSE_COLUMNS, COARSE_ROWS), position);
    this.loadPalette(palette);
  }

  private loadPalette(palette: (share: number) => Rgb): void {
    const { gl } = this;
    const colours = new Uint8Array(4 * PALETTE_SIZE);
    for (let i = 0; i < PALETTE_SIZE; i++) colours.set([...palette(i / (PALETTE_SIZE - 1)), 255], 4 * i);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, PALETTE_SIZE, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, colours);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
    for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, wrap, gl.CLAMP_TO_EDGE);
  }

  /** With few points it is quick without a graphics processor, too. */
  draw(camera: Camera, view: View, isCoarse: boolean): void {
    const { gl } = this;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.useProgram(this.program);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.uniformMatrix4fv(gl.getUniformLocation(this.program, "camera"), false, matrixOf(camera, view));
    (isCoarse ? this.coarse : this.fine).draw(this.program);
  }
}
