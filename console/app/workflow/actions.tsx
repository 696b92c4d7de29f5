// What a person can do with a workflow: approve or decline its cost, resume, cancel, and
// run it again with other seeds.

import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { encoded, get, post } from "../api";
import { useEstimate } from "../create/price";
import { ago, amount, duration, moment, price, unit } from "../format";
import { useChanges, useData, useNow } from "../hooks";
import { useModelNames } from "../models/names";
import { ask, Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { Icon } from "../parts/icon";
import { Failure, Notice } from "../parts/notice";
import { toast, toastError } from "../parts/toast";
import { useIntent } from "../press";
import { session } from "../session";
import { isOver } from "../status";
import { keepValues, keptValues } from "../template/kept";
import { text } from "../texts/workflow";
import type { Bodies, Estimate, StepError } from "../types";
import { beforeDiscount, isReviewed, missingOf, sparkOf, type Workflow } from "./model";
import { inForm } from "./entered";
import { exportHistory } from "./export";
import { inCreate, OpenElsewhere } from "./open";
import { againOf, retryOf } from "./retry";
import { keepStarted } from "./started";
import { useArgumentInMessage, useStepName } from "./step-names";
import type { Watched } from "./watch";
import { inWords, isOfInput } from "./words";

/** The request that the workflow was started with, to ask whether the balance suffices for it now. */
const requestOf = ({ input, mediaReferences, tokenType, billingMode }: Workflow) =>
  ({
    input,
    ...(mediaReferences?.length ? { media_references: mediaReferences } : {}),
    token_type: tokenType,
    billing_mode: billingMode,
  }) as Bodies["POST /v1/creative-agent/workflows/estimate"]; // the service answers with what it was sent

/** What a request costs, in a sentence. */
const costInWords = ({ cost, coveredByPlan, sufficient }: Estimate) =>
  [(coveredByPlan ? text.itIsCovered : text.itCosts)(price(cost.spark)), !sufficient && text.itIsShort]
    .filter(Boolean)
    .join(" ");

/** Starts steps again once the person has seen what they cost, and shows the new workflow. */
function useAgain(workflow: Workflow) {
  const { route } = useLocation();
  const intend = useIntent();
  return async (body: Bodies["POST /v1/creative-agent/workflows"], words: { title: string; confirm: string }) => {
    const { estimate } = await post("/v1/creative-agent/workflows/estimate", body);
    const again = body.input!.steps.length;
    const about = text.retryText(workflow.steps.length - again, again, costInWords(estimate));
    if (!(await ask({ title: words.title, body: about, confirm: words.confirm }))) return;
    const { workflow: started } = await intend("again", (idempotencyKey) =>
      post("/v1/creative-agent/workflows", body, { idempotencyKey }),
    );
    const values = keptValues(workflow.workflowId);
    if (values) keepValues(started.workflowId, values);
    keepStarted(started);
    route(encoded`/workflows/${started.workflowId}`);
  };
}

/** That the balance does not suffice, what is missing, and who can change that. */
function TooMuch({ estimate }: { estimate: Estimate }) {
  const { operator, walletAddress, username } = session.value!;
  const missing = missingOf(estimate);
  return (
    <Notice tone="warn">
      {text.tooMuch(missing && price(missing))}{" "}
      {operator ? (
        <a href={encoded`/operator/accounts/${walletAddress}`}>{text.addCredits}</a>
      ) : (
        <>
          {text.askForCredits(username)} <code>atelier account credit</code>.
        </>
      )}
    </Notice>
  );
}

/** The request for an approval, with the time that is left for it. */
export function Approval({ workflow, watched }: { workflow: Workflow; watched: Watched }) {
  const preview = workflow.billingPreview!;
  const now = useNow(1000);
  const { estimate } = useEstimate(requestOf(workflow));
  const isTooMuch = estimate?.sufficient === false;
  const again = useAgain(workflow);
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
  const isExpired = left <= 0;
  return (
    <section class="panel cost-approval" aria-label={text.approve}>
      <div class="grow stack">
        <h2>{isExpired ? text.expired : text.approve}</h2>
        <p class="muted">{isExpired ? text.expiredText : text.approveText}</p>
        {isTooMuch && !isExpired && <TooMuch estimate={estimate} />}
        {error && <Failure error={error} />}
      </div>
      <CostFacts workflow={workflow} estimate={estimate} left={left} now={now} />
      <div class="row">
        {!isExpired ? (
          <button class="primary" disabled={busy !== "" || isTooMuch} onClick={() => void decide("confirm")}>
            {busy === "confirm" ? text.approving : text.approveButton}
          </button>
        ) : workflow.template ? (
          <a class="primary" href={inForm(workflow.template.id, workflow.workflowId)}>
            {text.startAgain}
          </a>
        ) : (
          <button
            class="primary"
            disabled={busy !== ""}
            onClick={() => void again(againOf(workflow), text.runAgain).catch(setError)}>
            {text.startAgain}
          </button>
        )}
        <button class="quiet" disabled={busy !== ""} onClick={() => void decide("cancel")}>
          {text.decline}
        </button>
      </div>
    </section>
  );
}

/** What a workflow costs, what the account has, and how long the offer stands. */
interface CostProps {
  workflow: Workflow;
  estimate?: Estimate;
  /** The seconds that are left. */
  left: number;
  now: number;
}

function CostFacts({ workflow, estimate, left, now }: CostProps) {
  const balance = useData((signal) => get("/v4/account/balance", { signal }), [workflow.workflowId]);
  useChanges(["balance"], balance.reload);
  const full = beforeDiscount(workflow);
  const validUntil = workflow.billingPreview!.validityUntil;
  const part = estimate?.payment.parts[0];
  const after =
    part && estimate.balanceAfter[part.token === "premium_spark" ? "premiumSpark" : (part.token as "spark" | "svc")];
  return (
    <dl class="cost-facts">
      <div>
        <dt class="small muted">{text.estimate}</dt>
        <dd class="figure">{unit(price(sparkOf(workflow)), "Spark")}</dd>
        {full && <dd class="small muted">{text.discount(price(full))}</dd>}
        {left > 0 && estimate?.coveredByPlan && <dd class="small">{text.coveredByPlan}</dd>}
      </div>
      {left > 0 && (
        <div>
          <dt class="small muted">{text.balance}</dt>
          <dd>{balance.data ? unit(amount(balance.data.spark.net), "Spark") : "…"}</dd>
          {estimate?.sufficient && !estimate.coveredByPlan && after !== undefined && (
            <dd class="small muted">{text.leftAfter(amount(after))}</dd>
          )}
        </div>
      )}
      <div>
        <dt class="small muted">{left > 0 ? text.expiresIn : text.expiredAt}</dt>
        <dd class="tabular">
          {left > 0 ? (
            <span role="timer">{duration(left)}</span>
          ) : (
            <time dateTime={validUntil} title={moment(validUntil)}>
              {ago(validUntil, now)}
            </time>
          )}
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
  const details = workflow.waiting?.details;
  const reviewed = isReviewed(workflow) && details?.stepId; // the step whose prompt is to be changed
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
        {reviewed && (
          <a class="quiet" href={inCreate(workflow, reviewed)}>
            <Icon name="edit" size={16} /> {workflow.steps.length > 1 ? text.openOneInCreate : text.openInCreate}
          </a>
        )}
        {!(isReviewed(workflow) && details?.source === "content_filter") && (
          <button class="quiet" disabled={busy} onClick={() => void resume({})}>
            {text.resume}
          </button>
        )}
        {isReviewed(workflow) && workflow.safeContentFilter && (
          <button class="quiet" disabled={busy} onClick={() => void resume({ safe_content_filter: false })}>
            {text.resumeUnfiltered}
          </button>
        )}
        {isReviewed(workflow) && <Cancel workflow={workflow} watched={watched} />}
        {reason === "insufficient_credit" && (
          <a class="quiet" href="/usage">
            {text.addBalance}
          </a>
        )}
      </p>
    </Notice>
  );
}

/** The button that cancels a workflow. */
function Cancel({ workflow, watched }: { workflow: Workflow; watched: Watched }) {
  const [cancelling, setCancelling] = useState(false);
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
    <button class="quiet" disabled={cancelling} onClick={() => void cancel()}>
      <Icon name="stop" size={16} /> {cancelling ? text.cancelling : text.cancel}
    </button>
  );
}

export function Actions({ workflow, watched }: { workflow: Workflow; watched: Watched }) {
  const [reseeding, setReseeding] = useState(false);
  return (
    <div class="row">
      {(workflow.status === "completed" || workflow.status === "partial_failure") && !workflow.remakeOf && (
        <button class="quiet" title={text.reseedAbout} onClick={() => setReseeding(true)}>
          <Icon name="again" size={16} /> {text.reseed}
        </button>
      )}
      {!isOver(workflow.status) && !isReviewed(workflow) && <Cancel workflow={workflow} watched={watched} />}
      {workflow.status === "cancelled" && <Retry workflow={workflow} />}
      <button class="quiet" onClick={() => void exportHistory(workflow).catch(toastError)}>
        <Icon name="download" size={16} /> {text.export}
      </button>
      {reseeding && <Reseed workflow={workflow} onClose={() => setReseeding(false)} />}
    </div>
  );
}

/** Why a workflow failed, once, and what can be done about it. */
export function Failed({ workflow, error }: { workflow: Workflow; error: StepError }) {
  const names = useModelNames();
  const failed = workflow.steps.find((step) => step.id === error.stepId) ?? workflow.steps.find((step) => step.error);
  const argumentName = useArgumentInMessage(failed?.id ?? "");
  const isInput = isOfInput(error);
  const remedy = error.code === "no_worker" ? text.remedyNoWorker : isInput ? text.remedyInput : text.remedy;
  return (
    <Notice tone="bad">
      <p>{inWords(error.message, names, argumentName)}</p>
      {failed && <p class="small">{remedy}</p>}
      <p class="row pause-actions">
        {!isInput && <Retry workflow={workflow} />}
        {workflow.template && (
          <a class="quiet" href={inForm(workflow.template.id, workflow.workflowId)}>
            <Icon name="edit" size={16} /> {text.changeInputs}
          </a>
        )}
        {isInput && <Retry workflow={workflow} />}
        {failed && <OpenElsewhere workflow={workflow} step={failed} />}
      </p>
    </Notice>
  );
}

/** Whether a retry runs everything: also steps that have not failed. */
const isWhole = (workflow: Workflow, { input }: Bodies["POST /v1/creative-agent/workflows"]) =>
  workflow.status === "cancelled" || (workflow.steps.length > 1 && input!.steps.length === workflow.steps.length);

/** Does again what has failed, in a new workflow that takes over what is done. */
function Retry({ workflow }: { workflow: Workflow }) {
  const again = useAgain(workflow);
  const body = retryOf(workflow);
  if (!body) return null;
  const words = isWhole(workflow, body) ? text.runAgain : text.retry;
  return (
    <button class="quiet" onClick={() => void again(body, words).catch(toastError)}>
      <Icon name="again" size={16} /> {words.button}
    </button>
  );
}

const isSeed = (value: string) => value === "" || (/^\d{1,10}$/.test(value) && Number(value) <= 0xffffffff);

function Reseed({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  const { route } = useLocation();
  const stepName = useStepName();
  const { estimate } = useEstimate(requestOf(workflow));
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
        <p class="muted">{text.reseedText(estimate ? costInWords(estimate) : "")}</p>
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
