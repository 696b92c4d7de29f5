// Makes a short film in four steps: a picture, a clip of it, music, and the cut of both.
//
//   ATELIER_URL=http://127.0.0.1:8080 ATELIER_API_KEY=… node examples/film.js film.mp4

import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Atelier } from "@atelier-project/client";

const atelier = new Atelier({ baseURL: process.env.ATELIER_URL ?? "http://127.0.0.1:8080", apiKey: process.env.ATELIER_API_KEY ?? "" });
const file = process.argv[2] ?? "film.mp4";

const steps = [
  { id: "picture", toolName: "generate_image", arguments: { prompt: "a lighthouse in a storm, oil painting", width: 512, height: 288 } },
  {
    id: "clip",
    toolName: "animate_photo",
    arguments: { prompt: "waves break, the light turns", duration: 2 },
    dependsOn: [{ sourceStepId: "picture", targetArgument: "sourceImageIndex", transform: "image_index" }],
  },
  { id: "music", toolName: "generate_music", arguments: { prompt: "slow sad strings", duration: 10 } },
  {
    id: "film",
    toolName: "stitch_video",
    arguments: {},
    dependsOn: [
      { sourceStepId: "clip", targetArgument: "videoIndices", transform: "video_index" },
      { sourceStepId: "music", targetArgument: "audioIndex", transform: "audio_index" },
    ],
  },
];

const workflow = await atelier.workflows.run(
  { input: { title: "Lighthouse", steps } },
  {
    onEvent(event) {
      if (event.type === "workflow_progress") console.log(`${event.payload.stepId}: ${Math.round(100 * event.payload.stepProgress)} % ${event.payload.message}`);
      if (event.type === "step_completed") console.log(`${event.payload.stepId}: done`);
      if (event.type === "step_failed") console.log(`${event.payload.stepId}: ${event.payload.error.message}`);
    },
  },
);
const film = workflow.artifacts.find((artifact) => artifact.stepId === "film");
if (!film) throw new Error(`the workflow is ${workflow.status}: ${workflow.error?.message ?? workflow.waiting?.message ?? "it has no film"}`);
const answer = await fetch(film.url);
if (!answer.ok) throw new Error(`the film could not be read: ${answer.status}`);
await pipeline(Readable.fromWeb(answer.body), createWriteStream(file));
console.log(`${file}: ${film.durationSeconds} seconds`);
