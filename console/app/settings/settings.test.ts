import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalog, Model, Tool } from "../create/catalog";
import { formOfSettings } from "./form";
import { readSettings, settingsIn } from "./settings";

const latin = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0) & 255);
const encode = (text: string) => new TextEncoder().encode(text);

function join(...parts: (string | Uint8Array)[]): Uint8Array {
  const bytes = parts.map((part) => (typeof part === "string" ? latin(part) : part));
  const out = new Uint8Array(bytes.reduce((n, b) => n + b.length, 0));
  bytes.reduce((at, b) => (out.set(b, at), at + b.length), 0);
  return out;
}

const big = (n: number, bytes = 4) => Uint8Array.from({ length: bytes }, (_, i) => (n >>> (8 * (bytes - 1 - i))) & 255);
const little = (n: number) => big(n).reverse();
const file = (bytes: Uint8Array) => new Blob([bytes as BlobPart]);

const chunk = (kind: string, data: Uint8Array) => join(big(data.length), kind, data, "\0\0\0\0");
const png = (...chunks: Uint8Array[]) =>
  join(
    "\x89PNG\r\n\x1a\n",
    chunk("IHDR", new Uint8Array(13)),
    ...chunks,
    chunk("IDAT", new Uint8Array(9)),
    chunk("IEND", new Uint8Array()),
  );
const segment = (marker: number, data: Uint8Array) => join("\xff", big(marker, 1), big(data.length + 2, 2), data);
const jpeg = (...segments: Uint8Array[]) => join("\xff\xd8", ...segments, "\xff\xda\0\x02\xff\xd9");
const riff = (kind: string, data: Uint8Array) => join(kind, little(data.length), data, data.length % 2 ? "\0" : "");
const webp = (...chunks: Uint8Array[]) => join("RIFF", little(0), "WEBP", riff("VP8 ", new Uint8Array(7)), ...chunks);

async function deflate(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function exif(comment: string): Uint8Array {
  const words = join(...[...comment].map((c) => big(c.charCodeAt(0), 2)));
  const entry = (tag: number, kind: number, count: number, value: number) =>
    join(big(1, 2), big(tag, 2), big(kind, 2), big(count), big(value), big(0));
  return join("MM\0*", big(8), entry(0x8769, 4, 1, 26), entry(0x9286, 7, words.length + 8, 44), "UNICODE\0", words);
}

const document = {
  preview: true,
  tool: "generate_image",
  model: "z_image_turbo_bf16",
  seed: 4294967295,
  arguments: { prompt: 'a "fox" <&> 狐', width: 512, height: 768 },
  loras: [{ id: "rim-light", strength: 0.8 }],
};
const json = JSON.stringify(document);
const parameters =
  "a fox, (masterpiece:1.2)\nin the snow\nNegative prompt: blurry,\nugly\n" +
  'Steps: 20, Sampler: DPM++ 2M, CFG scale: 7.5, Seed: 42, Size: 512x768, Model: "dream, shaper", Version: v1.9';
const fox = {
  tool: "generate_image",
  model: "dream, shaper",
  seed: 42,
  arguments: {
    prompt: "a fox, (masterpiece:1.2)\nin the snow",
    negativePrompt: "blurry,\nugly",
    steps: 20,
    guidance: 7.5,
    width: 512,
    height: 768,
  },
  loras: [],
};
const graph = {
  3: {
    class_type: "KSampler",
    inputs: {
      seed: 7,
      steps: 12,
      cfg: 2,
      model: ["9", 0],
      positive: ["5", 0],
      negative: ["7", 0],
      latent_image: ["4", 0],
    },
  },
  4: { class_type: "EmptyLatentImage", inputs: { width: 640, height: 480 } },
  5: { class_type: "FluxGuidance", inputs: { conditioning: ["6", 0] } },
  6: { class_type: "CLIPTextEncode", inputs: { text: "a heron" } },
  7: { class_type: "CLIPTextEncode", inputs: { text: ["8", 0] } },
  8: { class_type: "PrimitiveString", inputs: { value: "grey" } },
  9: { class_type: "LoraLoader", inputs: { model: ["10", 0] } },
  10: { class_type: "CheckpointLoaderSimple", inputs: { ckpt_name: "sdxl.safetensors" } },
};

test("a picture of this service says how it was made, in each format", async () => {
  const escaped = json.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&#34;");
  const packet = encode(`<x><atelier:settings>${escaped}</atelier:settings></x>`);
  for (const made of [
    png(chunk("iTXt", join("atelier\0\0\0\0\0", encode(json)))),
    jpeg(segment(0xe0, latin("JFIF\0")), segment(0xfe, encode(`{"atelier":${json}}`))),
    webp(riff("XMP ", packet)),
  ])
    assert.deepEqual(await readSettings(file(made)), document);
});

const atom = (kind: string, ...parts: (string | Uint8Array)[]) => {
  const body = join(...parts);
  return join(big(body.length + 8), kind, body);
};
const zeros = "\0\0\0\0";
const data = () => atom("data", "\0\0\0\x01" + zeros, encode(json));
const mp4 = (meta: Uint8Array) =>
  join(atom("ftyp", "isom"), atom("moov", atom("mvhd", zeros), atom("udta", meta)), atom("mdat", zeros));
const handler = (kind: string) => atom("hdlr", zeros + zeros, kind, zeros + zeros + zeros + "\0");
const freeForm = () =>
  atom(
    "ilst",
    atom("\xa9nam", atom("data", zeros + zeros, "Fox")),
    atom("----", atom("name", zeros, "atelier"), data()),
  );
const counted = (content: Uint8Array) => join(little(content.length), content);
const ascii = json.replace(/[^\x00-\x7f]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
const frame = latin("\0atelier\0" + ascii);
const safe = (n: number) => Uint8Array.of((n >> 21) & 127, (n >> 14) & 127, (n >> 7) & 127, n & 127);
const id3 = (version: number, size: Uint8Array) => {
  const frames = join("TIT2", version === 4 ? safe(4) : big(4), "\0\0\0Fox", "TXXX", size, "\0\0", frame);
  return join("ID3", big(version, 1), "\0\0", safe(frames.length), frames, "\xff\xfb\x90\0");
};
const comments = () =>
  join(counted(latin("a tool")), little(2), counted(latin("TITLE=Fox")), counted(join("ATELIER=", encode(json))));
const info = (body: Uint8Array) => riff("LIST", join("INFOATLR", counted(body)));

/** Clips and recordings of this service, in each form. */
const media = () => [
  mp4(atom("meta", zeros, handler("mdir"), freeForm())),
  mp4(atom("meta", handler("mdir"), freeForm())),
  mp4(
    atom(
      "meta",
      zeros,
      handler("mdta"),
      atom("keys", zeros, big(2), atom("mdta", "title"), atom("mdta", "atelier")),
      atom("ilst", atom("\0\0\0\x01", atom("data", zeros + zeros, "Fox")), atom("\0\0\0\x02", data())),
    ),
  ),
  join("RIFF", little(0), "WAVE", riff("data", new Uint8Array(7)), info(encode(json))),
  join("fLaC", "\0\0\0\x02..", "\x84", big(comments().length, 3), comments(), "frames"),
  id3(4, safe(frame.length)),
  id3(3, big(frame.length)),
];

test("so does a clip or a recording, and what is cut anywhere is read as far as it goes", async () => {
  for (const made of media()) {
    assert.deepEqual(await readSettings(file(made)), document);
    for (let n = 0; n < made.length; n += 3) {
      const got = await readSettings(file(made.slice(0, n)));
      if (got) assert.deepEqual(got, document);
    }
  }
});

test("hostile clips and recordings say nothing", async () => {
  for (const made of [
    join(atom("ftyp", "isom"), big(0xffffffff), "moov"),
    join(atom("ftyp", "isom"), big(1), "moov", big(0xffffffff), big(0xffffffff)),
    join(atom("ftyp", "isom"), atom("moov", atom("udta", big(2), "meta"))),
    mp4(atom("meta", zeros, handler("mdta"), atom("ilst", atom("\xff\xff\xff\xff", data())))),
    join("RIFF", little(0), "WAVELIST", little(0xffffffff), "INFOATLR"),
    join("fLaC", "\x84", big(12, 3), little(0xffffffff), little(0xffffffff), little(0xffffffff)),
    join("ID3\x03\0\0", safe(20), "TXXX", big(0xffffffff), "\0\0\0atelier\0"),
  ])
    assert.equal(await readSettings(file(made)), undefined);
});

test("so do pictures of other programs", async () => {
  for (const made of [
    png(chunk("tEXt", latin("parameters\0" + parameters))),
    png(chunk("zTXt", join("parameters\0\0", await deflate(parameters)))),
    png(chunk("iTXt", join("parameters\0\x01\0en\0name\0", await deflate(parameters)))),
    png(chunk("tEXt", latin("atelier\0{]")), chunk("tEXt", latin("parameters\0" + parameters))),
    jpeg(segment(0xfe, latin(parameters))),
    jpeg(segment(0xe1, join("Exif\0\0", exif(parameters)))),
    webp(riff("EXIF", exif(parameters))),
  ])
    assert.deepEqual(await readSettings(file(made)), fox);
  const comfy = png(chunk("tEXt", latin("prompt\0" + JSON.stringify(graph))));
  assert.deepEqual(await readSettings(file(comfy)), {
    tool: "generate_image",
    model: "sdxl.safetensors",
    seed: 7,
    arguments: { prompt: "a heron", negativePrompt: "grey", steps: 12, guidance: 2, width: 640, height: 480 },
    loras: [],
  });
});

test("a file that is cut anywhere is read as far as it goes", async () => {
  const whole = png(chunk("tEXt", latin("parameters\0" + parameters)));
  for (let n = 0; n < whole.length; n++) {
    const got = await readSettings(file(whole.slice(0, n)));
    if (got) assert.deepEqual(got, fox);
  }
  for (const made of [jpeg(segment(0xe1, join("Exif\0\0", exif(parameters)))), webp(riff("EXIF", exif(parameters)))])
    for (let n = 0; n < made.length; n += 3) await readSettings(file(made.slice(0, n)));
});

test("hostile files say nothing", async () => {
  const bomb = await deflate("Seed: 1, ".repeat(1 << 18));
  const huge = new Uint8Array((1 << 20) + 20);
  huge.set(latin("parameters\0"));
  const loop = {
    1: { class_type: "KSampler", inputs: { positive: ["2", 0] } },
    2: { inputs: { conditioning: ["2", 0] } },
  };
  const many = join(
    big(0xffff, 2),
    ...Array.from({ length: 2000 }, () => join(big(0x9286, 2), big(7, 2), big(9999999), big(8))),
  );
  for (const made of [
    png(chunk("zTXt", join("parameters\0\0", bomb))),
    png(chunk("tEXt", huge)),
    png(chunk("zTXt", latin("parameters\0\0not compressed"))),
    png(chunk("iTXt", latin("parameters\0\0"))),
    png(chunk("tEXt", latin("prompt\0" + JSON.stringify(loop)))),
    png(chunk("tEXt", latin('prompt\0{"1": {"class_type": "KSampler", "inputs": {"positive": ["__proto__", 0]}}}'))),
    png(chunk("tEXt", latin("atelier\0[1, 2]"))),
    join("\x89PNG\r\n\x1a\n", big(0xffffffff), "tEXtparameters\0x"),
    jpeg(segment(0xe1, join("Exif\0\0MM\0*", big(0xfffffff0)))),
    jpeg(segment(0xe1, join("Exif\0\0MM\0*", big(8), many))),
    join("RIFF", little(0), "WEBPEXIF", little(0xffffffff), "MM"),
    latin("GIF89a"),
    new Uint8Array(),
  ])
    assert.equal(await readSettings(file(made)), undefined);
});

test("sizes are written in several ways", () => {
  const size = (written: string) => {
    const { width, height } = settingsIn({ parameters: `fox\nSeed: 1, Steps: 3, Size: ${written}` })!.arguments;
    return [width, height];
  };
  for (const written of ["512x768", "512 X 768", "512×768 px", "512*768"]) assert.deepEqual(size(written), [512, 768]);
  for (const written of ["512", "0x5", "9999999999x5", "large"])
    assert.deepEqual(size(written), [undefined, undefined]);
});

test("a seed that tools do not take is left out", () => {
  for (const seed of ["-1", "4294967296", "1.5", "x"])
    assert.equal("seed" in settingsIn({ parameters: `fox\nSteps: 3, Seed: ${seed}` })!, false);
});

const catalog = {
  tools: [
    {
      name: "generate_image",
      modelArgument: "model",
      needs: [],
      models: [{ modelId: "z_image_turbo_bf16", selectors: ["z-turbo"] }],
      arguments: [
        { name: "prompt", type: "string" },
        { name: "width", type: "integer" },
        { name: "guidance", type: "number" },
        { name: "seed", type: "integer" },
        { name: "loras", type: "array" },
        { name: "sourceImageIndex", type: "integer", media: "image" },
      ],
    },
  ] as unknown as Tool[],
  models: new Map([["z_image_turbo_bf16", { id: "z_image_turbo_bf16", name: "Z" } as Model]]),
} satisfies Catalog;

test("the form has what the tool takes", () => {
  const settings = {
    ...document,
    arguments: { prompt: "fox", width: "wide", guidance: 2, steps: 9, sourceImageIndex: 3 },
  };
  assert.deepEqual(
    formOfSettings(settings, catalog, (id) => id.toUpperCase()),
    {
      form: {
        tool: "generate_image",
        model: "z-turbo",
        values: { prompt: "fox", guidance: 2, seed: 4294967295 },
        loras: [{ id: "rim-light", name: "RIM-LIGHT", strength: 0.8 }],
      },
      needsMedia: false,
    },
  );
});

test("a model that is not there is named, and the rest is filled", () => {
  const again = formOfSettings(fox, catalog, String)!;
  assert.equal(again.missingModel, "dream, shaper");
  assert.equal(again.form.model, "");
  assert.equal(again.form.values.seed, 42);
  assert.equal(formOfSettings({ ...fox, tool: "fold_paper" }, catalog, String), undefined);
});
