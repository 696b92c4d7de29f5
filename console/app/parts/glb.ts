// The triangles of a binary glTF file, for the viewer of 3D models. What is compressed or
// interleaved is not read.

export type Primitive = ReturnType<typeof readModel>[number];

/** The part of a glTF document that is read. */
interface Document {
  extensionsRequired?: string[];
  scene?: number;
  scenes?: { nodes?: number[] }[];
  nodes: Node[];
  meshes?: {
    primitives: { attributes: Record<string, number>; indices?: number; material?: number; mode?: number }[];
  }[];
  materials?: { pbrMetallicRoughness?: { baseColorFactor?: number[]; baseColorTexture?: Texture } }[];
  textures?: { source?: number }[];
  images?: { bufferView: number; mimeType: string }[];
  accessors: Accessor[];
  bufferViews: { byteOffset?: number; byteLength: number; byteStride?: number }[];
}

interface Accessor {
  bufferView: number;
  byteOffset?: number;
  componentType: number;
  count: number;
  type: string;
  sparse?: object;
  normalized?: boolean;
  min: number[];
  max: number[];
}

interface Node {
  mesh?: number;
  children?: number[];
  matrix?: number[];
  translation?: number[];
  rotation?: number[];
  scale?: number[];
}

interface Texture {
  index: number;
}

type Numbers = Uint8Array | Uint16Array | Uint32Array | Float32Array;

/** A constructor of numbers, from bytes or from other numbers. */
interface NumbersType<T extends Numbers> {
  new (from: ArrayBuffer | Numbers): T;
  readonly name: string;
  readonly BYTES_PER_ELEMENT: number;
}

const arrays: Record<number, NumbersType<Numbers> | undefined> = {
  5121: Uint8Array,
  5123: Uint16Array,
  5125: Uint32Array,
  5126: Float32Array,
};
const widths: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3 };
const most = { nodes: 10_000, depth: 64, primitives: 10_000, corners: 1 << 26, bytes: 512 << 20 };

/**
 * The primitives of the file's scene. It throws when the file cannot be shown. Files come
 * from strangers: parts that many others refer to are read once, and bounded together.
 */
export function readModel(data: ArrayBuffer) {
  const view = new DataView(data);
  if (view.getUint32(0, true) !== 0x46546c67 || view.getUint32(4, true) !== 2) throw new Error("not binary glTF 2");
  const length = view.getUint32(12, true);
  const doc: Document = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 20, length)));
  if (doc.extensionsRequired?.some((name) => !name.startsWith("KHR_materials_"))) throw new Error("needs an extension");
  const start = (offset = 0) => 20 + length + 8 + offset; // in the binary part
  let bytes = 0;
  const known = new Map<string, Numbers>();
  const read = <T extends Numbers>(index: number | undefined, To: NumbersType<T>): T | undefined => {
    if (index === undefined) return undefined;
    const name = `${To.name} ${index}`;
    if (!known.has(name)) known.set(name, convert(index, To));
    return known.get(name) as T; // the name has the type
  };
  const convert = (index: number, To: NumbersType<Numbers>): Numbers => {
    const { bufferView, byteOffset = 0, componentType, count, type, sparse, normalized } = doc.accessors[index];
    const From = arrays[componentType];
    if (!From) throw new Error("an accessor that is not read");
    const size = widths[type] * From.BYTES_PER_ELEMENT;
    const { byteOffset: from, byteStride = size } = doc.bufferViews[bufferView];
    if (sparse || normalized || byteStride !== size) throw new Error("an accessor that is not read");
    if ((bytes += count * widths[type] * To.BYTES_PER_ELEMENT) > most.bytes) throw new RangeError("too much");
    const values = new From(data.slice(start(from) + byteOffset, start(from) + byteOffset + count * size));
    if (values.length !== count * widths[type]) throw new RangeError("an accessor beyond its buffer");
    return From === To ? values : new To(values);
  };
  const pictures = new Map<number, Blob>(); // by bufferView
  const pictureOf = (texture: Texture | undefined): Blob | undefined => {
    const image = doc.images?.[doc.textures?.[texture?.index ?? -1]?.source ?? -1];
    const place = image && doc.bufferViews[image.bufferView];
    if (!place) return undefined;
    const { bufferView, mimeType: type } = image;
    if (!pictures.has(bufferView))
      pictures.set(bufferView, new Blob([new Uint8Array(data, start(place.byteOffset), place.byteLength)], { type }));
    return pictures.get(bufferView);
  };
  const out: {
    matrix: number[];
    positions: Float32Array;
    normals?: Float32Array;
    coords?: Float32Array;
    indices?: Uint32Array;
    color: number[];
    picture?: Blob;
    low: number[];
    high: number[];
  }[] = [];
  let visited = 0;
  let primitives = 0;
  let corners = 0;
  const visit = (index: number, parent: number[], depth: number) => {
    if (++visited > most.nodes || depth > most.depth) throw new Error("too many nodes");
    const node = doc.nodes[index];
    const matrix = multiply(parent, node.matrix ?? compose(node));
    for (const { attributes, indices, material, mode = 4 } of doc.meshes?.[node.mesh ?? -1]?.primitives ?? []) {
      if (++primitives > most.primitives) throw new Error("too many primitives");
      if (mode !== 4) continue; // points and lines
      const pbr = doc.materials?.[material ?? -1]?.pbrMetallicRoughness ?? {};
      const { min: low, max: high } = doc.accessors[attributes.POSITION];
      const positions = read(attributes.POSITION, Float32Array)!;
      const order = read(indices, Uint32Array);
      if ((corners += order?.length ?? positions.length / 3) > most.corners) throw new RangeError("too many triangles");
      out.push({
        matrix,
        low,
        high,
        positions,
        normals: read(attributes.NORMAL, Float32Array),
        coords: read(attributes.TEXCOORD_0, Float32Array),
        indices: order,
        color: pbr.baseColorFactor ?? [1, 1, 1, 1],
        picture: pictureOf(pbr.baseColorTexture),
      });
    }
    for (const child of node.children ?? []) visit(child, matrix, depth + 1);
  };
  for (const node of doc.scenes?.[doc.scene ?? 0]?.nodes ?? []) visit(node, compose({}), 0);
  if (!out.length) throw new Error("no triangles");
  return out;
}

/** The product of two matrices, which have their columns one after another as glTF and WebGL have them. */
export const multiply = (a: number[], b: number[]): number[] =>
  a.map((_, i) => [0, 1, 2, 3].reduce((sum, k) => sum + a[(i % 4) + 4 * k] * b[(i & ~3) + k], 0));

/** The matrix of a node that has its place, turn and scale apart. */
function compose({
  translation = [0, 0, 0],
  rotation: [x, y, z, w] = [0, 0, 0, 1],
  scale: [a, b, c] = [1, 1, 1],
}: Node): number[] {
  return [
    a * (1 - 2 * (y * y + z * z)),
    a * 2 * (x * y + z * w),
    a * 2 * (x * z - y * w),
    0,
    b * 2 * (x * y - z * w),
    b * (1 - 2 * (x * x + z * z)),
    b * 2 * (y * z + x * w),
    0,
    c * 2 * (x * z + y * w),
    c * 2 * (y * z - x * w),
    c * (1 - 2 * (x * x + y * y)),
    0,
    ...translation,
    1,
  ];
}
