import { choose } from "./choose";

export const text = choose({
  en: {
    title: "Network",
    workers: "Workers",
    noWorkers: "No worker is connected",
    noWorkersHelp: "Connect one with: atelier worker --url URL --api-key KEY --backend comfyui",
    yours: "yours",
    idle: "Idle",
    counted: (connected: number, previews: number, builtIn: number) =>
      [
        (connected || !builtIn) && `${connected} connected`,
        previews > 0 && (previews === connected ? "without models" : `${previews} of them without models`),
        builtIn && `${builtIn} built in`,
      ]
        .filter(Boolean)
        .join(", "),
    fallback: "preview renderer",
    fallbackHelp: "It draws results without the models, while no other worker offers them.",
    draining: "draining",
    drained: (n: number) => (n === 1 ? "1 worker is drained" : `${n} workers are drained`),
    takesNone: "Gets no new jobs",
    connect: "With a GPU connected, the models themselves render.",
    connectGuide: "How to connect a worker",
    connectServer: "Connect a ComfyUI, without a worker",
    unavailable: "not available",
    notClaiming: (time: string) => `not claiming for ${time}`,
    lowStanding: "low standing",
    seen: "seen",
    models: (n: number) => (n === 1 ? "1 model" : `${n} models`),
    of: (busy: number, capacity: number) =>
      busy ? `Renders ${busy} at once, of at most ${capacity}` : `Idle, renders up to ${capacity} at once`,
    rendering: (tool: string, model: string) =>
      `Rendering: ${tool.charAt(0).toLowerCase()}${tool.slice(1)} with ${model}`,
    started: (when: string) => `started ${when}`,
    workersHelp:
      "Workers that render. The service's own workers, which import files and do other small tasks, are not listed.",
    onNetwork: (network: string) => `Network ${network}`,
    gpu: (name: string) => `GPU ${name}`,
    version: (version: string) => `Version ${version}`,
    demand: "Models and tools",
    demandHelp:
      "Models, and tools that need none, that jobs wait for or are rendered with. Press a model to see who serves it.",
    noDemand: "No jobs are queued or rendering.",
    byWorkers: "Served by workers",
    byVendors: "Served by vendors",
    byPreviews: "Only drawn by the preview renderer",
    previews: "Built-in renderer",
    previewsHelp:
      "The workers of the service itself, shown as one. They draw results without the models, to try things out, while no other worker offers them.",
    cpu: "CPU",
    vendor: "Vendor",
    onlyDrawn: "preview renderer",
    workerCount: (n: number) => (n === 1 ? "1 worker" : `${n} workers`),
    model: "Model",
    network: "Network",
    queued: "Queued",
    active: "Active",
    servedBy: "Workers",
    waiting: "no worker offers it",
    onlyModel: "Workers that serve",
    all: "Show all",
    history: "History",
    range: "Time",
    days: (n: number) => `${n} days`,
    completed: "Jobs completed",
    failed: "Attempts failed",
    jobs: "Jobs of the network by day",
    online: "Workers online by day",
    onlineHelp:
      "The most that were connected at once on each day, the built-in renderers and those of vendors included.",
    jobsHelp:
      "The renders of everyone that workers completed on each day, and the attempts at which a worker failed. A render that is tried again counts at each attempt, and one that no worker took does not.",
    fast: "Fast",
    relaxed: "Relaxed",
  },
});
