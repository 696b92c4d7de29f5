// The pictures of the videos that a workflow made. The library makes them.

import { useMemo } from "preact/hooks";
import { get } from "../api";
import { useChanges, useData } from "../hooks";
import type { Workflow } from "./model";

export function usePosters<W extends Workflow | undefined>(workflow: W): W {
  const id = workflow?.workflowId;
  const videos = (workflow?.steps ?? []).reduce(
    (n, step) => n + step.artifacts.filter((artifact) => artifact.kind === "video").length,
    0,
  );
  const { data, reload } = useData(
    async (signal) => {
      if (!id || !videos) return new Map<string, string>();
      const page = await get("/v1/artifacts", { query: { workflowId: id, kind: "video", limit: 200 }, signal });
      return new Map(
        page.artifacts.flatMap((a): [string, string][] => (a.thumbnailUrl ? [[a.artifactId, a.thumbnailUrl]] : [])),
      );
    },
    [id, videos],
  );
  useChanges(["artifact"], () => videos > 0 && reload()); // a thumbnail is made after its file
  return useMemo(() => {
    if (!workflow || !data?.size) return workflow;
    const steps = workflow.steps.map((step) => ({
      ...step,
      artifacts: step.artifacts.map((artifact) =>
        data.has(artifact.id) ? { ...artifact, thumbnailUrl: data.get(artifact.id) } : artifact,
      ),
    }));
    return { ...workflow, steps };
  }, [workflow, data]);
}
