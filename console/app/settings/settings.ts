// How a picture, a clip or a recording was made, from the texts in its file: those of this service, of AUTOMATIC1111's web
// UI, or of ComfyUI.

import { isObject, listOf, numberOf, objectOf, textOf } from "../json";
import type { Texts } from "./source";
import { readTexts } from "./texts";

export interface Settings {
  tool: string;
  /** The id of the model, or what another program calls it. */
  model: string;
  seed?: number;
  arguments: Record<string, unknown>;
  loras: { id: string; strength: number }[];
  /** It was drawn without the model. */
  preview?: boolean;
}

/** What a file says of how it was made; undefined if it says nothing. */
export async function readSettings(file: Blob): Promise<Settings | undefined> {
  const texts = await readTexts(file);
  return texts && settingsIn(texts);
}

export const settingsIn = ({ atelier, parameters, prompt }: Texts): Settings | undefined =>
  (atelier && ofDocument(parse(atelier))) || (parameters && ofParameters(parameters)) || ofGraph(parse(prompt ?? ""));

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function ofDocument(document: unknown): Settings | undefined {
  const d = objectOf(document);
  if (!textOf(d.tool)) return undefined;
  return {
    tool: textOf(d.tool),
    model: textOf(d.model),
    ...seedOf(numberOf(d.seed)),
    arguments: objectOf(d.arguments),
    loras: listOf(d.loras).flatMap((l) => {
      const { id, strength } = objectOf(l);
      return textOf(id) ? [{ id: textOf(id), strength: numberOf(strength) ?? 1 }] : [];
    }),
    ...(d.preview === true ? { preview: true } : {}),
  };
}

const maxSeed = 4294967295;

const seedOf = (seed: number | undefined) =>
  seed !== undefined && Number.isInteger(seed) && seed >= 0 && seed <= maxSeed ? { seed } : {};

/** The form of AUTOMATIC1111's web UI: the prompt, the negative prompt, and a line of facts. */
function ofParameters(text: string): Settings | undefined {
  let lines = text.replaceAll("\r\n", "\n").trim().split("\n");
  let facts = factsIn(lines.at(-1)!);
  if (facts.size < 2)
    facts = new Map(); // a prompt may have one colon in it
  else lines = lines.slice(0, -1);
  const at = lines.findIndex((line) => line.trimStart().startsWith("Negative prompt:"));
  const prompt = (at < 0 ? lines : lines.slice(0, at)).join("\n");
  const negative = at < 0 ? "" : lines.slice(at).join("\n").trimStart().slice("Negative prompt:".length);
  return made(facts.get("model") ?? "", number(facts.get("seed")), {
    ...texted("prompt", prompt),
    ...texted("negativePrompt", negative),
    ...numbered("steps", number(facts.get("steps"))),
    ...numbered("guidance", number(facts.get("cfg scale"))),
    ...sizeIn(facts.get("size") ?? ""),
  });
}

const made = (model: string, seed: number | undefined, args: Record<string, unknown>): Settings | undefined =>
  Object.keys(args).length ? { tool: "generate_image", model, ...seedOf(seed), arguments: args, loras: [] } : undefined;

const texted = (name: string, value: string) => (value.trim() ? { [name]: value.trim() } : {});
const numbered = (name: string, value: number | undefined) => (value === undefined ? {} : { [name]: value });

function number(text: string | undefined): number | undefined {
  const n = text ? Number(text) : NaN;
  return Number.isFinite(n) ? n : undefined;
}

/** Reads "Name: value, Name: value". A value with a comma is a JSON string. */
function factsIn(line: string): Map<string, string> {
  const facts = new Map<string, string>();
  for (let at = 0; at < line.length;) {
    const colon = line.indexOf(":", at);
    const name = line.slice(at, colon);
    if (colon < 0 || name.length > 80 || /[,"]/.test(name)) break;
    let start = colon + 1;
    while (line[start] === " ") start++;
    let end = start;
    let value: unknown;
    if (line[start] === '"') {
      end = endOfString(line, start);
      value = parse(line.slice(start, end));
      end = line.indexOf(",", end);
    } else {
      end = line.indexOf(",", start);
      value = line.slice(start, end < 0 ? undefined : end);
    }
    if (typeof value !== "string") break;
    facts.set(name.trim().toLowerCase(), value.trim());
    at = end < 0 ? line.length : end + 1;
  }
  return facts;
}

/** Where the JSON string ends that begins at a place. */
function endOfString(line: string, start: number): number {
  for (let i = start + 1; i < line.length; i++) {
    if (line[i] === "\\") i++;
    else if (line[i] === '"') return i + 1;
  }
  return line.length;
}

/** A size such as 512x768, 512×768 or 512 * 768 px. */
function sizeIn(text: string) {
  const [, width, height] = /^\s*(\d{1,6})\s*[x×*]\s*(\d{1,6})\s*(?:px)?\s*$/i.exec(text) ?? [];
  return Number(width) && Number(height) ? { width: Number(width), height: Number(height) } : {};
}

type Graph = Record<string, unknown>;

const maxHops = 12;

/** A graph of ComfyUI: what its first sampler is given, as far as it is written in the nodes before it. */
function ofGraph(graph: unknown): Settings | undefined {
  if (!isObject(graph)) return undefined;
  const isSampler = (id: string) =>
    textOf(objectOf(graph[id]).class_type).includes("KSampler") && inputsOf(graph, id).positive !== undefined;
  const first = Object.keys(graph).filter(isSampler).sort()[0];
  if (first === undefined) return undefined;
  const inputs = inputsOf(graph, first);
  const latent = follow(graph, inputs.latent_image, "width");
  const { width, height } = latent ?? {};
  return made(
    textOf(follow(graph, inputs.model, "ckpt_name")?.ckpt_name ?? follow(graph, inputs.model, "unet_name")?.unet_name),
    numberOf(inputs.seed) ?? numberOf(inputs.noise_seed),
    {
      ...texted("prompt", promptIn(graph, inputs.positive)),
      ...texted("negativePrompt", promptIn(graph, inputs.negative)),
      ...numbered("steps", numberOf(inputs.steps)),
      ...numbered("guidance", numberOf(inputs.cfg)),
      ...(numberOf(width) && numberOf(height) ? { width, height } : {}),
    },
  );
}

const inputsOf = (graph: Graph, id: string) => (Object.hasOwn(graph, id) ? objectOf(objectOf(graph[id]).inputs) : {});

function promptIn(graph: Graph, link: unknown): string {
  const said = follow(graph, link, "text")?.text;
  return textOf(Array.isArray(said) ? follow(graph, said, "value")?.value : said);
}

/** The inputs of the first node before a connection that has one of a name, through nodes that pass on what they are given. */
function follow(graph: Graph, link: unknown, name: string): Record<string, unknown> | undefined {
  for (let n = 0; n < maxHops; n++) {
    const id = listOf(link)[0];
    if (typeof id !== "string" || !Object.hasOwn(graph, id)) return undefined;
    const inputs = inputsOf(graph, id);
    if (inputs[name] !== undefined) return inputs;
    link = inputs.conditioning ?? inputs.positive ?? inputs.model ?? inputs.samples ?? inputs.latent;
  }
  return undefined;
}
