// The button that has a step made again, and the link to what came of it.

import { useReducer } from "preact/hooks";
import { encoded, post } from "../api";
import { Icon } from "../parts/icon";
import { toastError } from "../parts/toast";
import { useIntent, usePress } from "../press";
import { text } from "../texts/workflow";
import type { Step, Workflow } from "../types";
import { offerOf, remakeReducer } from "./remake";

export function Remake({
  workflowId,
  step,
  onStarted,
}: {
  workflowId: string;
  step: Step;
  onStarted: (workflow: Workflow) => void;
}) {
  const [state, dispatch] = useReducer(remakeReducer, { busy: false });
  const press = usePress();
  const intend = useIntent();
  const offer = offerOf(step, state);
  if (!offer) return null;
  if (offer.by)
    return (
      <a class="quiet" href={encoded`/workflows/${offer.by}`}>
        {text.remade}
      </a>
    );
  const start = () =>
    press(step.id, async () => {
      dispatch({ type: "asked" });
      try {
        const path = { id: workflowId, stepId: step.id };
        const answer = await intend(step.id, (idempotencyKey) =>
          post("/v1/creative-agent/workflows/{id}/steps/{stepId}/remake", undefined, { path, idempotencyKey }),
        );
        dispatch({ type: "started", workflowId: answer.workflow.workflowId });
        onStarted(answer.workflow);
      } catch (error) {
        dispatch({ type: "failed", error });
        throw error;
      }
    }).catch(toastError);
  return (
    <button class="quiet" disabled={state.busy} title={text.remakeAbout} onClick={() => void start()}>
      <Icon name="again" size={16} /> {text.remake}
    </button>
  );
}
