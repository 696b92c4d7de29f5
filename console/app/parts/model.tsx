// A 3D model that a person turns with the mouse, a finger or the keys. The module is loaded
// when a model is opened.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import { text } from "../texts/shell";
import { multiply, readModel, type Primitive } from "./glb";
import { Icon } from "./icon";
import type { MediaItem } from "./item";

const largest = 256 << 20; // bytes of a file that is shown
const mostPixels = 1 << 27; // of all its pictures

/** Where the person looks from: angles in radians, and the distance as a share of the usual one. */
interface View {
  yaw: number;
  pitch: number;
  distance: number;
}

const usual: View = { yaw: 0.45, pitch: 0.2, distance: 1 };

export default function Model({ item }: { item: MediaItem }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const help = useId();
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading");
  useEffect(() => {
    const abort = new AbortController();
    const element = canvas.current!;
    element.addEventListener("webglcontextlost", () => setState("failed"), { signal: abort.signal });
    load(element, item.url, abort.signal)
      .then((draw) => {
        if (abort.signal.aborted) return;
        control(element, draw, abort.signal);
        setState("shown");
      })
      .catch(() => !abort.signal.aborted && setState("failed"));
    return () => abort.abort();
  }, [item.url]);
  if (state === "failed")
    return (
      <div class="media file">
        <Icon name="cube" size={40} />
        <p class="muted" role="status">
          {text.modelFailed}
        </p>
        <a class="quiet" href={item.url} download>
          {text.download}
        </a>
      </div>
    );
  return (
    <figure class="media model" aria-busy={state === "loading"}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-roledescription={text.model}
        aria-label={[text.model, item.label].filter(Boolean).join(": ")}
        aria-describedby={help}
      />
      <figcaption id={help} class="small muted">
        {state === "loading" ? text.loading : text.modelHelp}
      </figcaption>
    </figure>
  );
}

/** Lets mouse, touch and keys change the view. Until then the model turns by itself, unless that is not wanted. */
function control(canvas: HTMLCanvasElement, draw: (view: View) => void, signal: AbortSignal) {
  let view = usual;
  let frame = 0;
  let isTurning = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  const paint = () => {
    frame = 0;
    if (signal.aborted) return;
    draw(view);
    if (!isTurning) return;
    view = { ...view, yaw: view.yaw + 0.006 };
    repaint();
  };
  const repaint = () => (frame ||= requestAnimationFrame(paint));
  const change = (next: Partial<View>) => {
    isTurning = false;
    const { yaw, pitch, distance } = { ...view, ...next };
    view = { yaw, pitch: Math.min(1.5, Math.max(-1.5, pitch)), distance: Math.min(4, Math.max(0.2, distance)) };
    repaint();
  };
  const on = <K extends keyof HTMLElementEventMap>(type: K, listener: (event: HTMLElementEventMap[K]) => void) =>
    canvas.addEventListener(type, listener, { signal, passive: false });
  const fingers = new Map<number, PointerEvent>();
  const spread = ([a, b] = [...fingers.values()]) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  on("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, event);
  });
  on("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const wide = fingers.size === 2 && spread();
    fingers.set(event.pointerId, event);
    if (wide) change({ distance: (view.distance * wide) / Math.max(1, spread()) });
    else
      change({
        yaw: view.yaw - (event.clientX - before.clientX) * 0.01,
        pitch: view.pitch + (event.clientY - before.clientY) * 0.01,
      });
  });
  for (const type of ["pointerup", "pointercancel"] as const) on(type, (event) => fingers.delete(event.pointerId));
  on("wheel", (event) => {
    event.preventDefault();
    change({ distance: view.distance * Math.exp(event.deltaY * 0.001) });
  });
  on("keydown", (event) => {
    const { yaw, pitch, distance } = view;
    const next = {
      ArrowLeft: { yaw: yaw - 0.15 },
      ArrowRight: { yaw: yaw + 0.15 },
      ArrowUp: { pitch: pitch + 0.15 },
      ArrowDown: { pitch: pitch - 0.15 },
      "+": { distance: distance / 1.15 },
      "-": { distance: distance * 1.15 },
      0: usual,
    }[event.key];
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation(); // the arrows of the large view are for its neighbours
    change(next);
  });
  const sizes = new ResizeObserver(repaint);
  sizes.observe(canvas);
  signal.addEventListener("abort", () => sizes.disconnect());
}

const vertexShader = `#version 300 es
layout(location = 0) in vec3 position; layout(location = 1) in vec3 normal; layout(location = 2) in vec2 coord;
uniform mat4 model, camera;
out vec3 place, facing; out vec2 at;
void main() {
  vec4 p = model * vec4(position, 1.0);
  place = p.xyz; facing = mat3(model) * normal; at = coord;
  gl_Position = camera * p;
}`;

// The light comes from above the person's left shoulder.
const fragmentShader = `#version 300 es
precision highp float;
in vec3 place, facing; in vec2 at;
uniform sampler2D picture; uniform vec4 color; uniform vec3 eye; uniform bool isSmooth;
out vec4 result;
void main() {
  vec3 look = normalize(eye - place);
  vec3 n = isSmooth ? normalize(facing) : normalize(cross(dFdx(place), dFdy(place)));
  float light = 0.45 + 0.55 * max(0.0, dot(dot(n, look) < 0.0 ? -n : n, normalize(look + vec3(-0.3, 0.6, 0.2))));
  result = vec4(color.rgb * texture(picture, at).rgb * light, 1.0);
}`;

/** Loads a model into a canvas, and returns the function that draws it. */
async function load(canvas: HTMLCanvasElement, url: string, signal: AbortSignal): Promise<(view: View) => void> {
  // The drawing is kept, so that the browser's own menu can save it as a picture.
  const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
  if (!gl) throw new Error("no WebGL");
  signal.addEventListener("abort", () => gl.getExtension("WEBGL_lose_context")?.loseContext());
  const response = await fetch(url, { signal });
  if (!response.ok || Number(response.headers.get("Content-Length")) > largest) throw new Error("not loaded");
  const primitives = readModel(await response.arrayBuffer());
  const parts = await upload(gl, primitives, signal);
  const { middle, radius } = boundsOf(primitives);
  const program = gl.createProgram()!;
  for (const [type, source] of [
    [gl.VERTEX_SHADER, vertexShader],
    [gl.FRAGMENT_SHADER, fragmentShader],
  ] as const) {
    const shader = gl.createShader(type)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program); // an error where the shaders were refused
  if (gl.getError()) throw new Error("no shaders");
  gl.enable(gl.DEPTH_TEST);
  const at = (name: string) => gl.getUniformLocation(program, name);
  return ({ yaw, pitch, distance }) => {
    const scale = Math.min(2, devicePixelRatio);
    [canvas.width, canvas.height] = [canvas.clientWidth * scale, canvas.clientHeight * scale];
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const aspect = canvas.width / canvas.height;
    const far = radius * 3.4 * distance * Math.max(1, 1 / aspect);
    const back = [Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch)];
    const eye = middle.map((m, i) => m + back[i] * far);
    gl.uniformMatrix4fv(
      at("camera"),
      false,
      multiply(perspective(aspect, radius / 50, far + 2 * radius), lookAt(eye, back, yaw)),
    );
    gl.uniform3fv(at("eye"), eye);
    for (const part of parts) {
      gl.uniformMatrix4fv(at("model"), false, part.matrix);
      gl.uniform4fv(at("color"), part.color);
      gl.uniform1i(at("isSmooth"), Number(part.isSmooth));
      gl.bindTexture(gl.TEXTURE_2D, part.texture);
      gl.bindVertexArray(part.array);
      if (part.isIndexed) gl.drawElements(gl.TRIANGLES, part.count, gl.UNSIGNED_INT, 0);
      else gl.drawArrays(gl.TRIANGLES, 0, part.count);
    }
  };
}

/** Stores primitives where they are drawn from. What several of them have in common is stored once. */
async function upload(gl: WebGL2RenderingContext, primitives: Primitive[], signal: AbortSignal) {
  const buffers = new Map<object, WebGLBuffer>();
  const bind = (target: number, values: Float32Array | Uint32Array) => {
    const known = buffers.get(values);
    const buffer = known ?? gl.createBuffer()!;
    gl.bindBuffer(target, buffer);
    if (known) return;
    gl.bufferData(target, values, gl.STATIC_DRAW);
    buffers.set(values, buffer);
  };
  const textures = new Map<Blob | undefined, WebGLTexture>();
  let pixels = 0;
  const textureOf = async (picture: Blob | undefined) => {
    if (textures.has(picture)) return textures.get(picture)!;
    const bitmap = picture && (await createImageBitmap(picture, { colorSpaceConversion: "none" }));
    if (bitmap && (pixels += bitmap.width * bitmap.height) > mostPixels) throw new RangeError("too many pixels");
    const texture = gl.createTexture()!;
    gl.bindTexture(gl.TEXTURE_2D, texture);
    if (bitmap) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
    else
      gl.texImage2D(
        gl.TEXTURE_2D,
        0,
        gl.RGBA,
        1,
        1,
        0,
        gl.RGBA,
        gl.UNSIGNED_BYTE,
        new Uint8Array([255, 255, 255, 255]),
      );
    gl.generateMipmap(gl.TEXTURE_2D);
    bitmap?.close();
    textures.set(picture, texture);
    return texture;
  };
  const parts = [];
  for (const { positions, normals, coords, indices, picture, matrix, color } of primitives) {
    signal.throwIfAborted();
    const texture = await textureOf(picture);
    const array = gl.createVertexArray()!;
    gl.bindVertexArray(array);
    [positions, normals, coords].forEach((values, i) => {
      if (!values) return;
      bind(gl.ARRAY_BUFFER, values);
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, i === 2 ? 2 : 3, gl.FLOAT, false, 0, 0);
    });
    if (indices) bind(gl.ELEMENT_ARRAY_BUFFER, indices);
    parts.push({
      array,
      texture,
      matrix,
      color,
      isSmooth: Boolean(normals),
      isIndexed: Boolean(indices),
      count: indices?.length ?? positions.length / 3,
    });
  }
  return parts;
}

/** The middle and the size of the scene, by the corners of its boxes. */
function boundsOf(primitives: Primitive[]): { middle: number[]; radius: number } {
  const corners = primitives.flatMap(({ matrix: m, low, high }) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((corner) => {
      const [x, y, z] = [0, 1, 2].map((axis) => (corner & (1 << axis) ? high : low)[axis]);
      return [0, 1, 2].map((c) => m[c] * x + m[4 + c] * y + m[8 + c] * z + m[12 + c]);
    }),
  );
  const ends = [0, 1, 2].map((c) => [Math.min(...corners.map((p) => p[c])), Math.max(...corners.map((p) => p[c]))]);
  const radius = Math.hypot(...ends.map(([low, high]) => high - low)) / 2;
  if (!(radius > 0 && radius < Infinity)) throw new RangeError("a model without size");
  return { middle: ends.map(([low, high]) => (low + high) / 2), radius };
}

function perspective(aspect: number, near: number, far: number): number[] {
  const f = 1 / Math.tan(0.32);
  return [
    f / aspect,
    0,
    0,
    0,
    0,
    f,
    0,
    0,
    0,
    0,
    (far + near) / (near - far),
    -1,
    0,
    0,
    (2 * far * near) / (near - far),
    0,
  ];
}

/** The view from a place towards the middle: back points from there to the place. */
function lookAt(eye: number[], back: number[], yaw: number): number[] {
  const right = [Math.cos(yaw), 0, -Math.sin(yaw)];
  const up = [
    back[1] * right[2] - back[2] * right[1],
    back[2] * right[0] - back[0] * right[2],
    back[0] * right[1] - back[1] * right[0],
  ];
  const shift = [right, up, back].map((v) => -(v[0] * eye[0] + v[1] * eye[1] + v[2] * eye[2]));
  return [...[0, 1, 2].flatMap((i) => [right[i], up[i], back[i], 0]), ...shift, 1];
}
