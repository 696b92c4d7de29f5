import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "../texts/create";
import type { ToolEntry, Workflow } from "../types";
import { createLink, isAsking, shownLink, withAddress } from "./address";
import type { Catalog, Model } from "./catalog";
import { formOf, place, withLora, type ChosenLora } from "./form";
import type { LoraRow } from "./lora";
import { begin, draftOf, errorsOf, reduce, whyNoPrice, whyStopped } from "./machine";
import type { References } from "./pointer";
import { usedOf } from "./used";

const tool = (name: string, more: Partial<ToolEntry>): ToolEntry => ({
  name,
  description: "",
  runs: "worker",
  produces: "image",
  models: [],
  needs: [],
  arguments: [],
  ...more,
});
const model = (id: string) =>
  ({ id, name: id, tags: [], servedBy: "workers", parameters: { acceptInputImage: true } }) as unknown as Model;
const catalog: Catalog = {
  tools: [
    tool("generate_image", {
      modelArgument: "model",
      defaultModel: "fast",
      models: [
        { modelId: "fast_1", name: "fast_1", selectors: ["fast"], price: {} },
        { modelId: "fine_1", name: "fine_1", selectors: ["fine"], price: {} },
      ],
      arguments: [
        { name: "prompt", type: "string", required: true },
        { name: "width", type: "integer", minimum: 64, maximum: 2048 },
        { name: "model", type: "string" },
      ],
    }),
    tool("edit_image", {
      needs: [{ kind: "image", arguments: ["image"] }],
      arguments: [
        { name: "prompt", type: "string" },
        { name: "image", type: "integer", media: "image" },
        { name: "more", type: "array", media: "image", maxItems: 2 },
      ],
    }),
  ],
  models: new Map([model("fast_1"), model("fine_1")].map((m) => [m.id, m])),
};
const [draw, edit] = catalog.tools;
const references: References = {
  up: { id: "up", kind: "image", name: "up", state: "uploading" },
  ok: { id: "ok", kind: "image", name: "ok", state: "ready", url: "/ok" },
  bad: { id: "bad", kind: "image", name: "bad", state: "failed", error: "too large" },
};
const draft = (state = begin(), refs = references) => draftOf(state, catalog, refs);
const withValues = (values: object, name = "generate_image") =>
  begin({ tool: name, model: "", values: { ...values }, loras: [] });

test("an empty form has the first tool and its model, and waits for a prompt", () => {
  const d = draft();
  assert.deepEqual([d.form.tool, d.form.model, d.isReady], ["generate_image", "fast", false]);
  assert.deepEqual(errorsOf(begin(), d, {}), {}); // nothing was entered yet
  assert.equal(whyNoPrice(d, {}), text.priceWaits);
});

test("after an attempt, what is missing is shown, until something changes", () => {
  const stopped = reduce(begin(), { type: "stopped", problem: whyStopped(draft()) });
  assert.equal(stopped.problem, "Prompt: Fill this in.");
  assert.ok("prompt" in errorsOf(stopped, draft(stopped), {}));
  assert.equal(reduce(stopped, { type: "changed", form: stopped.form }).problem, undefined);
});

test("what was entered and is wrong is shown at once", () => {
  const state = withValues({ prompt: "a fox", width: 1 });
  assert.ok("width" in errorsOf(state, draft(state), {}));
  assert.equal(whyNoPrice(draft(state), {}), "Width: This must be between 64 and 2048.");
  const refused = { width: "width must be even" };
  assert.equal(whyNoPrice(draft(withValues({ prompt: "a fox", width: 65 })), refused), "Width must be even");
  assert.equal(whyNoPrice(draft(state), { prompt: "is too long" }), text.priceWrong); // several
});

test("what stands beside the button itself is not repeated there", () => {
  const counted: Catalog = { ...catalog, tools: [{ ...draw, countArgument: "width" }] };
  const d = draftOf(withValues({ prompt: "a fox", width: 1 }), counted, references);
  assert.deepEqual([whyNoPrice(d, {}), whyStopped(d)], [text.priceWrong, text.check]);
});

test("what is used besides the prompt is said in one line", () => {
  const used = (values: object, count: number, loras: object[] = []) => {
    const withLoras = { ...edit, produces: "image", arguments: [...edit.arguments, { name: "loras", type: "array" }] };
    const state = begin({ tool: "edit_image", model: "", values: { ...values }, loras: loras as ChosenLora[] });
    return usedOf(draftOf(state, { ...catalog, tools: [withLoras] }, references), references, count);
  };
  const lora = (id: string) => ({ id, name: id, strength: 1 });
  assert.equal(used({ prompt: "a fox" }, 4), ""); // the button says how many
  assert.equal(used({ image: { ref: "ok" } }, 1), "From 1 picture");
  assert.equal(
    used({ image: { ref: "ok" }, more: [{ ref: "up" }] }, 4, [lora("red"), lora("blue")]),
    "From 2 pictures · 2 LoRAs · 4 images",
  );
});

test("what another choice requires is waited for, and shown after an attempt", () => {
  const state = withValues({ prompt: "a fox" });
  const unfit = { end: "End image is required when Frame role is both" };
  assert.deepEqual(errorsOf(state, draft(state), unfit), {});
  assert.equal(whyNoPrice(draft(state), unfit), text.priceWaits);
  const tried = reduce(state, { type: "stopped", problem: "no" });
  assert.deepEqual(errorsOf(tried, draft(tried), unfit), unfit);
  assert.equal(whyNoPrice(draft(state), { prompt: "is too long" }), "Prompt: is too long");
});

test("what is to be selected is named or marked, and that is said", () => {
  const segment = tool("segment_image", {
    arguments: [
      { name: "image", type: "integer", media: "image" },
      { name: "text", type: "string" },
      { name: "points", type: "array" },
      { name: "boxes", type: "array" },
    ],
  });
  const drafted = (values: object) =>
    draftOf(withValues(values, "segment_image"), { ...catalog, tools: [segment] }, references);
  const d = drafted({ image: { ref: "ok" } });
  assert.deepEqual([d.isReady, whyNoPrice(d, {}), whyStopped(d)], [false, text.nameOrMark, text.nameOrMark]);
  for (const given of [{ text: "the fox" }, { points: [{ x: 0.5, y: 0.5 }] }, { boxes: [{}] }])
    assert.ok(drafted({ image: { ref: "ok" }, ...given }).isReady);
});

test("a start that is refused is shown at its field, and another attempt clears it", () => {
  const starting = reduce(withValues({ prompt: "a fox" }), { type: "starting" });
  assert.ok(starting.isStarting);
  const failed = reduce(starting, { type: "failed", error: new Error("no"), refused: { prompt: "no" } });
  assert.deepEqual([failed.isStarting, errorsOf(failed, draft(failed), {}).prompt], [false, "no"]);
  assert.equal(reduce(failed, { type: "starting" }).problem, undefined);
  const started = reduce(starting, { type: "started" });
  assert.deepEqual([started.isStarting, started.isTried, started.form], [false, false, starting.form]);
});

test("another visit forgets what was tried, and keeps the form", () => {
  const tried = reduce(withValues({ width: 1 }), { type: "stopped", problem: "no" });
  assert.deepEqual(reduce(tried, { type: "opened" }), withValues({ width: 1 }));
});

test("another tool takes what it can, and the rest comes back with the tool before", () => {
  const there = reduce(withValues({ prompt: "a fox", width: 512 }), { type: "toolChosen", tool: edit, catalog });
  assert.deepEqual(there.form.values, { prompt: "a fox" });
  const back = reduce(there, { type: "toolChosen", tool: draw, catalog });
  assert.deepEqual(back.form.values, { width: 512, prompt: "a fox" });
  assert.deepEqual(reduce(back, { type: "reset", tool: draw, catalog }).form, {
    tool: "generate_image",
    model: "fast",
    values: {},
    loras: [],
  });
});

test("another tool makes one, whatever the tool before was to make", () => {
  const several = { countArgument: "n", arguments: [{ name: "n", type: "integer" }] } as Partial<ToolEntry>;
  const many: Catalog = { ...catalog, tools: [{ ...draw, ...several }, tool("make_clip", several)] };
  const there = reduce(withValues({ n: 2 }), { type: "toolChosen", tool: many.tools[1], catalog: many });
  assert.deepEqual(there.form.values, {});
  const back = reduce(there, { type: "toolChosen", tool: many.tools[0], catalog: many });
  assert.deepEqual(back.form.values, {});
});

test("another tool keeps no value that it would refuse, and gives it back", () => {
  const range = (minimum: number, maximum: number) =>
    ({ arguments: [{ name: "duration", type: "number", minimum, maximum }] }) as Partial<ToolEntry>;
  const both: Catalog = { ...catalog, tools: [tool("make_clip", range(1, 15)), tool("make_song", range(10, 300))] };
  const clip = begin({ tool: "make_clip", model: "", values: { duration: 2 }, loras: [] });
  const song = reduce(clip, { type: "toolChosen", tool: both.tools[1], catalog: both });
  assert.deepEqual(song.form.values, {});
  assert.deepEqual(reduce(song, { type: "toolChosen", tool: both.tools[0], catalog: both }).form.values, {
    duration: 2,
  });
});

test("another tool takes the media that it has a place for", () => {
  const other = { ...edit, name: "enlarge", arguments: edit.arguments.filter((a) => a.name !== "more") };
  const both: Catalog = { ...catalog, tools: [...catalog.tools, other] };
  const chosen = withValues({ prompt: "a fox", image: { ref: "ok" }, more: [{ ref: "bad" }] }, "edit_image");
  const there = reduce(chosen, { type: "toolChosen", tool: other, catalog: both });
  assert.deepEqual(there.form.values, { prompt: "a fox", image: { ref: "ok" } });
  const back = (state = there) => reduce(state, { type: "toolChosen", tool: edit, catalog: both }).form.values;
  assert.deepEqual(back(), chosen.form.values);
  assert.deepEqual(back(reduce(there, { type: "toolChosen", tool: draw, catalog: both })), chosen.form.values);
  const newer = { ...there.form, values: { image: { ref: "up" } } };
  assert.deepEqual(back({ ...there, form: newer }).image, { ref: "up" });
});

test("media are needed, uploaded and counted", () => {
  assert.ok("image" in draft(withValues({ prompt: "x" }, "edit_image")).problems);
  const uploading = draft(withValues({ image: { ref: "up" } }, "edit_image"));
  assert.deepEqual(
    [uploading.isReady, whyNoPrice(uploading, {}), whyStopped(uploading)],
    [false, text.priceUpload, text.checkUpload],
  );
  assert.ok(draft(withValues({ image: { ref: "bad" } }, "edit_image")).problems.image.includes("too large"));
  const ready = draft(withValues({ image: { ref: "ok" } }, "edit_image"));
  assert.deepEqual(
    [ready.isReady, ready.request.input.steps[0].arguments, ready.request.media_references],
    [true, { image: -1 }, [{ kind: "image", url: "/ok" }]],
  );
});

test("a model that works from a picture waits for it, also in a tool that needs none", () => {
  const { needs: _, ...freely } = edit;
  const mover = { ...model("mover"), parameters: { acceptInputImage: true, requiresStartingImage: true } } as Model;
  const only = [{ modelId: "mover", name: "mover", selectors: ["mover"], price: {} }];
  const moving = { tools: [{ ...freely, needs: [], models: only }], models: new Map([["mover", mover]]) };
  const of = (values: object) => draftOf(withValues(values, "edit_image"), moving, references);
  assert.deepEqual([of({ prompt: "x" }).isReady, Object.keys(of({ prompt: "x" }).problems)], [false, ["image"]]);
  assert.ok(of({ prompt: "x", image: { ref: "ok" } }).isReady);
});

test("a reference takes the first free place of its kind", () => {
  const pointer = () => ({ ref: "ok" });
  assert.deepEqual(place(edit.arguments, {}, "image", pointer), { image: { ref: "ok" } });
  assert.deepEqual(place(edit.arguments, { image: 1 }, "image", pointer), { image: 1, more: [{ ref: "ok" }] });
  assert.deepEqual(place(edit.arguments, { image: 1, more: [1, 2] }, "image", pointer), {
    image: { ref: "ok" },
    more: [1, 2],
  });
  assert.equal(place(draw.arguments, {}, "image", pointer), "none");
});

test("an address asks for what the form does not have", () => {
  const { form } = draft(withValues({ prompt: "a fox" }));
  assert.ok(!isAsking({ tool: "generate_image", workflow: "w" }, form));
  assert.ok(isAsking({ tool: "edit_image" }, form));
  assert.ok(isAsking({ reference: "r" }, form));
  assert.ok(isAsking({ lora: "l" }, form));
  const asked = withAddress(form, { model: "fine_1", "arg.prompt": '"a wolf"' }, catalog);
  assert.deepEqual([asked.tool, asked.model, asked.values], ["generate_image", "fine", { prompt: "a wolf" }]);
  assert.equal(shownLink(asked, "w", "a"), "/?tool=generate_image&model=fine&workflow=w&artifact=a");
});

test("an address with a LoRA, or a tool for a reference, leaves no other media in the form", () => {
  const { form } = withValues({ prompt: "a fox", image: { ref: "ok" } }, "edit_image");
  assert.deepEqual(withAddress(form, { tool: "edit_image", reference: "r" }, catalog).values, { prompt: "a fox" });
  assert.deepEqual(withAddress(form, { tool: "edit_image", lora: "l" }, catalog).values, { prompt: "a fox" });
});

test("a LoRA of an address is chosen once", () => {
  assert.equal(createLink({ model: "fine_1", lora: "l" }), "/?model=fine_1&lora=l");
  const lora = { id: "l", name: "Ink", strength: 0.8 };
  const form = withLora(draft().form, lora);
  assert.deepEqual([form.loras, withLora(form, { ...lora, strength: 1 })], [[lora], form]);
});

test("a step of a workflow becomes the form that it was made with", () => {
  const workflow = {
    mediaReferences: [{ kind: "image", url: "/sent" }],
    steps: [
      {
        id: "make",
        toolName: "edit_image",
        arguments: { prompt: "a fox", image: -1, loras: ["l"], loraStrengths: [0.5] },
        dependsOn: [],
        artifacts: [],
      },
    ],
  } as unknown as Workflow;
  const form = formOf(
    workflow,
    "make",
    catalog.tools,
    (kind, url) => ({ ref: `${kind} ${url}` }),
    (id) => `LoRA ${id}`,
  );
  assert.deepEqual(form?.values, { prompt: "a fox", image: { ref: "image /sent" } });
  assert.deepEqual(form?.loras, [{ id: "l", name: "LoRA l", strength: 0.5 }]);
});

test("a LoRA that the model cannot load keeps the form from starting, and says which models can", () => {
  const withLoras = { ...draw, arguments: [...draw.arguments, { name: "loras", type: "array" }] };
  const rows = [{ loraId: "red", name: "Red", modelIds: ["fine_1"] }] as LoraRow[];
  const chosen = (model: string, tools = [withLoras]) =>
    draftOf(
      begin({
        tool: "generate_image",
        model,
        values: { prompt: "a fox" },
        loras: [{ id: "red", name: "", strength: 1 }],
      }),
      { ...catalog, tools },
      {},
      rows,
    );
  const d = chosen("fast");
  assert.equal(d.isReady, false);
  assert.equal(d.unfit.red.message, "Red does not fit fast_1. It fits fine_1.");
  assert.equal(d.unfit.red.choice?.value, "fine");
  assert.equal(whyNoPrice(d, {}), d.unfit.red.message);
  assert.equal(whyStopped(d), d.unfit.red.message);
  assert.equal(chosen("fine").isReady, true);
  assert.equal(chosen("fast", [draw]).isReady, true); // a tool that takes none is sent none
});
