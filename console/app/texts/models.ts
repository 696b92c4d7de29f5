import { choose } from "./choose";

export const text = choose({
  en: {
    title: "Models",
    search: "Search models",
    kind: "Kind",
    all: "All",
    served: "Served now",
    kinds: { image: "Image", video: "Video", audio: "Audio", model: "3D", text: "Text" } as Record<string, string>,
    by: { workers: "Workers", vendor: "Vendor", preview: "Preview renderer", nobody: "No worker" } as Record<
      string,
      string
    >,
    about: {
      workers: "Connected workers render this model.",
      vendor: "A vendor renders this model.",
      preview:
        "No connected worker has this model. The preview renderer draws its results without it, to try things out.",
      nobody:
        "No connected worker has this model. A job waits until one connects, and fails after a time that the operator sets.",
    } as Record<string, string>,
    count: (n: number) => (n === 1 ? "1 model" : `${n} models`),
    none: "No model matches.",
    noneHelp: "Try other words, or show all kinds.",
    showAll: "Show all",
    free: "free",
    price: (usd: string) => `$${usd}`,
    atDefaults: "at defaults",
    priceTitle: "Price",
    spark: (spark: string) => `${spark} Spark`,
    external: "By a vendor, paid with Premium Spark",
    samples: "Samples",
    drawn: "Not by the model",
    samplesDrawn: "The built-in CPU renderer drew these, to show what to ask for. This model had no part in them.",
    noSamples: "There are no samples of this model.",
    use: "Use these settings",
    useModel: "Create with it",
    seed: "Seed",
    steps: "steps",
    tools: "Used by",
    networks: "Served now",
    network: "Network",
    workers: "Workers",
    loaded: "with it loaded",
    active: "Rendering",
    queued: "Queued",
    waiting: (n: number) => `${n} without a worker`,
    unknown: "Who serves it is not known now.",
    run: "What it needs to run",
    runVendor:
      "It runs at its vendor. An operator gives the service a key of the vendor, as the guide “Vendors” shows (docs/guides/vendors.md).",
    runWorker:
      "A machine with a GPU, ComfyUI and the files of the model. Beside ComfyUI, start a worker with the key of an account that may run workers:",
    runFiles:
      "When a file is missing, the worker says which, and in which folder of ComfyUI it belongs. The guide “Your own GPU” (docs/guides/own-gpu.md) goes through it with a first model.",
    seeNetwork: "See the network",
    parameters: "Parameters",
    parameter: "Parameter",
    range: "Range or values",
    standard: "Default",
    inputs: "Takes",
    limits: (limits: Record<string, number>) =>
      Object.entries(limits)
        .filter(([, n]) => n > 0)
        .map(([k, n]) => (k === "total" ? `${n} in all` : `${n} ${k}`))
        .join(", "),
    needs: {
      requiresStartingImage: "Needs an image to start from",
      requiresContextImage: "Needs an image",
      requiresReferenceVideo: "Needs a video",
      requiresReferenceAudio: "Needs a recording",
    } as Record<string, string>,
    resolutions: "Resolutions",
    loras: "LoRAs that fit",
    noLoras: "This model loads no LoRAs.",
    personal: "Personal",
    by2: "By",
    license: "Licence",
    identifiers: "Names in requests",
    missing: "There is no such model",
    missingHelp: "It may have been removed from the catalog.",
    back: "All models",
    to: "to",
    step: (n: number) => `in steps of ${n}`,
  },
});
