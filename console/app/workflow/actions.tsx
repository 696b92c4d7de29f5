// What a person can do with a workflow: approve or decline its cost, resume, cancel, and
// run it again with other seeds.

import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { encoded, get, post } from "../api";
import { useEstimate } from "../create/price";
import { amount, duration } from "../format";
import { useChanges, useData, useNow } from "../hooks";
import { useModelNames } from "../models/names";
import { ask, Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { Icon } from "../parts/icon";
import { Failure, Notice } from "../parts/notice";
import { toast, toastError } from "../parts/toast";
import { useIntent } from "../press";
import { isOver } from "../status";
import { text } from "../texts/workflow";
import type { Bodies, Estimate } from "../types";
import { sparkOf, type Workflow } from "./model";
import { exportHistory } from "./export";
import { retryOf } from "./retry";
import { keepStarted } from "./started";
import { useStepName } from "./step-names";
import { readSummary } from "./summary";
import type { Watched } from "./watch";
import { inWords } from "./words";

/** The request that the workflow was started with, to ask whether the balance suffices for it now. */
const requestOf = ({ input, mediaReferences, tokenType, billingMode }: Workflow) =>
  ({
    input,
    ...(mediaReferences?.length ? { media_references: mediaReferences } : {}),
    token_type: tokenType,
    billing_mode: billingMode,
  }) as Bodies["POST /v1/creative-agent/workflows/estimate"]; // the service answers with what it was sent

/** The request for an approval, with the time that is left for it. */
export function Approval({ workflow, watched }: { workflow: Workflow; watched: Watched }) {
  const preview = workflow.billingPreview!;
  const now = useNow(1000);
  const { estimate } = useEstimate(requestOf(workflow));
  const isTooMuch = estimate?.sufficient === false;
  const intend = useIntent();
  const [busy, setBusy] = useState<"confirm" | "cancel" | "">("");
  const [error, setError] = useState<Error>();
  const left = (Date.parse(preview.validityUntil) - now) / 1000;
  const decide = async (decision: "confirm" | "cancel") => {
    setBusy(decision);
    setError(undefined);
    try {
      const body = decision === "confirm" ? { decision, acceptedCostPreview: preview } : { decision };
      const path = { id: workflow.workflowId };
      const answer = await intend(decision, (idempotencyKey) =>
        post("/v1/creative-agent/workflows/{id}/confirm-cost", body, { path, idempotencyKey }),
      );
      watched.show(answer.workflow);
      if (decision === "cancel") toast(text.declined);
    } catch (problem) {
      setError(problem as Error);
      watched.reload();
    }
    setBusy("");
  };
  return (
    <section class="panel cost-approval" aria-label={text.approve}>
      <div class="grow stack">
        <h2>{text.approve}</h2>
        <p class="muted">{left > 0 ? text.approveText : text.expired}</p>
        {isTooMuch && left > 0 && (
          <Notice tone="warn">
            {text.tooMuch} <code>atelier account credit</code>.
          </Notice>
        )}
        {error && <Failure error={error} />}
      </div>
      <CostFacts workflow={workflow} estimate={estimate} left={left} />
      <div class="row">
        <button class="primary" disabled={busy !== "" || left <= 0 || isTooMuch} onClick={() => void decide("confirm")}>
          {busy === "confirm" ? text.approving : text.approveButton}
        </button>
        {left <= 0 && workflow.template && (
          <a class="quiet" href={encoded`/templates/${workflow.template.id}?from=${workflow.workflowId}`}>
            {text.startAgain}
          </a>
        )}
        <button class="quiet" disabled={busy !== ""} onClick={() => void decide("cancel")}>
          {text.decline}
        </button>
      </div>
    </section>
  );
}

/** What a workflow costs, what the account has, and how long the offer stands. */
function CostFacts({ workflow, estimate, left }: { workflow: Workflow; estimate?: Estimate; left: number }) {
  const balance = useData((signal) => get("/v4/account/balance", { signal }), [workflow.workflowId]);
  useChanges(["balance"], balance.reload);
  const summary = useData(
    (signal) => readSummary(workflow.workflowId, workflow.timestamps.createdAt, signal),
    [workflow.workflowId],
  );
  const part = estimate?.payment.parts[0];
  const after =
    part && estimate.balanceAfter[part.token === "premium_spark" ? "premiumSpark" : (part.token as "spark" | "svc")];
  return (
    <dl class="cost-facts">
      <div>
        <dt class="small muted">{text.estimate}</dt>
        <dd class="figure">
          {summary.data
            ? `${amount(summary.data.cost)} Spark`
            : summary.loading
              ? "…"
              : `${amount(sparkOf(workflow))} Spark`}
        </dd>
        {estimate?.coveredByPlan && <dd class="small">{text.coveredByPlan}</dd>}
      </div>
      <div>
        <dt class="small muted">{text.balance}</dt>
        <dd>{balance.data ? `${amount(balance.data.spark.net)} Spark` : "…"}</dd>
        {estimate?.sufficient && !estimate.coveredByPlan && after !== undefined && (
          <dd class="small muted">{text.leftAfter(amount(after))}</dd>
        )}
      </div>
      <div>
        <dt class="small muted">{text.expiresIn}</dt>
        <dd class="tabular">
          <span role="timer">{duration(Math.max(0, left))}</span>
        </dd>
      </div>
    </dl>
  );
}

/** Why a workflow is paused, and how it continues. */
export function Pause({ workflow, watched }: { workflow: Workflow; watched: Watched }) {
  const [busy, setBusy] = useState(false);
  const names = useModelNames();
  const reason = workflow.waitingReason ?? workflow.waiting?.reason;
  const resume = async (body: { safe_content_filter?: boolean }) => {
    setBusy(true);
    try {
      watched.show(
        (await post("/v1/creative-agent/workflows/{id}/resume", body, { path: { id: workflow.workflowId } })).workflow,
      );
      toast(text.resumed);
    } catch (problem) {
      toastError(problem);
      watched.reload();
    }
    setBusy(false);
  };
  return (
    <Notice tone="warn">
      <p>{workflow.waiting ? inWords(workflow.waiting.message, names) : text.paused}</p>
      <p class="row pause-actions">
        <button class="quiet" disabled={busy} onClick={() => void resume({})}>
          {text.resume}
        </button>
        {reason === "safety_review_required" && workflow.safeContentFilter && (
          <button class="quiet" disabled={busy} onClick={() => void resume({ safe_content_filter: false })}>
            {text.resumeUnfiltered}
          </button>
        )}
        {reason === "insufficient_credit" && (
          <a class="quiet" href="/usage">
            {text.addBalance}
          </a>
        )}
      </p>
    </Notice>
  );
}

export function Actions({ workflow, watched }: { workflow: Workflow; watched: Watched }) {
  const [cancelling, setCancelling] = useState(false);
  const [reseeding, setReseeding] = useState(false);
  const cancel = async () => {
    if (
      !(await ask({
        title: text.cancelTitle,
        body: text.cancelText,
        confirm: text.cancelConfirm,
        decline: text.cancelDecline,
        danger: true,
      }))
    )
      return;
    setCancelling(true);
    try {
      watched.show(
        (await post("/v1/creative-agent/workflows/{id}/cancel", undefined, { path: { id: workflow.workflowId } }))
          .workflow,
      );
    } catch (problem) {
      toastError(problem);
    }
    setCancelling(false);
  };
  return (
    <div class="row">
      {(workflow.status === "completed" || workflow.status === "partial_failure") && !workflow.remakeOf && (
        <button class="quiet" onClick={() => setReseeding(true)}>
          <Icon name="again" size={16} /> {text.reseed}
        </button>
      )}
      {!isOver(workflow.status) && (
        <button class="quiet" disabled={cancelling} onClick={() => void cancel()}>
          <Icon name="stop" size={16} /> {cancelling ? text.cancelling : text.cancel}
        </button>
      )}
      {isOver(workflow.status) && workflow.status !== "completed" && <Retry workflow={workflow} />}
      <button class="quiet" onClick={() => void exportHistory(workflow).catch(toastError)}>
        <Icon name="download" size={16} /> {text.export}
      </button>
      {reseeding && <Reseed workflow={workflow} onClose={() => setReseeding(false)} />}
    </div>
  );
}

/** Does again what has failed, in a new workflow that takes over what is done. */
function Retry({ workflow }: { workflow: Workflow }) {
  const { route } = useLocation();
  const intend = useIntent();
  const body = retryOf(workflow);
  if (!body) return null;
  const again = body.input!.steps.length;
  const start = async () => {
    const kept = workflow.steps.length - again;
    if (!(await ask({ title: text.retryTitle, body: text.retryText(kept, again), confirm: text.retryConfirm }))) return;
    const { workflow: started } = await intend("retry", (idempotencyKey) =>
      post("/v1/creative-agent/workflows", body, { idempotencyKey }),
    );
    keepStarted(started);
    route(encoded`/workflows/${started.workflowId}`);
  };
  return (
    <button class="quiet" onClick={() => void start().catch(toastError)}>
      <Icon name="again" size={16} /> {text.retry}
    </button>
  );
}

const isSeed = (value: string) => value === "" || (/^\d{1,10}$/.test(value) && Number(value) <= 0xffffffff);

function Reseed({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  const { route } = useLocation();
  const stepName = useStepName();
  const seeded = workflow.steps.filter((step) => step.seed !== undefined);
  const [seeds, setSeeds] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const intend = useIntent();
  const start = async () => {
    setBusy(true);
    setError(undefined);
    const given = Object.entries(seeds)
      .filter(([, value]) => value !== "")
      .map(([step, value]) => [step, Number(value)]);
    try {
      const body = given.length ? { seed_overrides: Object.fromEntries(given) } : {};
      const path = { id: workflow.workflowId };
      const answer = await intend(JSON.stringify(body), (idempotencyKey) =>
        post("/v1/creative-agent/workflows/{id}/reseed", body, { path, idempotencyKey }),
      );
      keepStarted(answer.workflow);
      onClose();
      route(encoded`/workflows/${answer.workflow.workflowId}`);
    } catch (problem) {
      setError(problem as Error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={text.reseedTitle} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}>
        <p class="muted">{text.reseedText}</p>
        {seeded.map((step) => (
          <TextField
            key={step.id}
            label={text.reseedFor(stepName(step.id))}
            placeholder={text.random}
            value={seeds[step.id] ?? ""}
            error={isSeed(seeds[step.id] ?? "") ? undefined : text.seedWrong}
            onInput={(value) => setSeeds((old) => ({ ...old, [step.id]: value.trim() }))}
          />
        ))}
        {error && <Failure error={error} />}
        <footer>
          <button class="primary" disabled={busy || !Object.values(seeds).every(isSeed)}>
            {text.reseedButton}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
