/* Draws a surface with WebGL 2. */
import { Rgb } from "../ui/colours";
import { matrixOf, triangles, vertices, widened, type Camera, type Grid, type View } from "./surface_geometry";

const VERTEX_SHADER = `#version 300 es
in vec3 place;
in vec4 colour;
uniform mat4 camera;
out vec3 at;
out vec4 shade;
void main() {
  at = place;
  shade = colour;
  gl_Position = camera * vec4(place, 1.0);
}`;

/* Slopes are a little darker than what is level, so that the shape is seen; the derivative of the
 * place gives the normal without a table of normals. */
const FRAGMENT_SHADER = `#version 300 es
precision highp float;
in vec3 at;
in vec4 shade;
out vec4 pixel;
void main() {
  vec3 normal = normalize(cross(dFdx(at), dFdy(at)));
  float light = 0.72 + 0.28 * abs(normal.z);
  pixel = vec4(shade.rgb * light, 1.0);
}`;

function compile(gl: WebGL2RenderingContext, kind: number, source: string): WebGLShader {
  const shader = gl.createShader(kind)!;
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

export class SurfaceGl {
  private readonly program: WebGLProgram;
  private readonly buffers: WebGLBuffer[];
  private count = 0;

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
    this.buffers = [gl.createBuffer()!, gl.createBuffer()!, gl.createBuffer()!];
  }

  /** COLOUR gives red, green and blue, 0 to 255. */
  load(grid: Grid, colour: (value: number) => Rgb): void {
    const { gl } = this;
    const surface = widened(grid);
    const list = triangles(surface);
    const colours = new Uint8Array(4 * surface.values.length);
    surface.values.forEach((value, i) => {
      if (Number.isNaN(value)) return;
      const rgb = colour(value);
      for (let part = 0; part < 3; part++) colours[4 * i + part] = rgb[part]!;
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[0]!);
    gl.bufferData(gl.ARRAY_BUFFER, vertices(surface), gl.STATIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[1]!);
    gl.bufferData(gl.ARRAY_BUFFER, colours, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers[2]!);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, list, gl.STATIC_DRAW);
    this.count = list.length;
  }

  draw(camera: Camera, view: View): void {
    const { gl } = this;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.useProgram(this.program);
    this.attribute("place", 0, 3, gl.FLOAT, false);
    this.attribute("colour", 1, 4, gl.UNSIGNED_BYTE, true);
    gl.uniformMatrix4fv(gl.getUniformLocation(this.program, "camera"), false, matrixOf(camera, view));
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers[2]!);
    gl.drawElements(gl.TRIANGLES, this.count, gl.UNSIGNED_INT, 0);
  }

  private attribute(name: string, buffer: number, size: number, type: number, normalized: boolean): void {
    const { gl } = this;
    const place = gl.getAttribLocation(this.program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[buffer]!);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, type, normalized, 0, 0);
  }
}
