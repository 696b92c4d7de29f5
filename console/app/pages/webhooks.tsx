// Webhooks: addresses that get the events of the account, and what was sent to them.

import { useLocation, useRoute } from "preact-iso/router";
import { useState } from "preact/hooks";
import { ApiError, del, encoded, get, patch, post } from "../api";
import { ago, lasting, moment, toDate } from "../format";
import { useChanges, useData, useEvery, useNow, usePages, useTitle } from "../hooks";
import { Chip, type Tone } from "../parts/chip";
import { Code } from "../parts/code";
import { CopyButton } from "../parts/copy";
import { ask, Dialog } from "../parts/dialog";
import { Fact } from "../parts/fact";
import { CheckField, Choices, TextField } from "../parts/field";
import { Empty, Failure, Notice, Waiting } from "../parts/notice";
import { PagedTable } from "../parts/table";
import { toastError } from "../parts/toast";
import { session } from "../session";
import { isHeld, isRetried, nextTry, readAgainIn } from "../settings/deliveries";
import { text as common } from "../texts/shell";
import { text } from "../texts/webhooks";
import type { Bodies, Webhook, WebhookDelivery } from "../types";

/** What a webhook may name. Those of requests have others too. */
type HookEvent = Bodies["POST /v1/webhooks"]["events"][number];

const eventNames: Exclude<HookEvent, "*">[] = [
  "workflow.completed",
  "workflow.failed",
  "workflow.waiting",
  "workflow.cancelled",
  "run.completed",
  "run.failed",
  "run.waiting",
  "run.cancelled",
  "lora.ready",
  "lora.rejected",
  "balance.credited",
  "balance.low",
];

const tones: Record<string, Tone> = {
  delivered: "good",
  sending: "active",
  failed: "bad",
  enabled: "good",
  disabled: "bad",
};

export default function Webhooks() {
  useTitle(text.title);
  const { id } = useRoute().params;
  const hooks = useData((signal) => get("/v1/webhooks", { signal }), []);
  useAgain(hooks.reload);
  const [editing, setEditing] = useState<Webhook | "new">();
  const [fresh, setFresh] = useState<Webhook>();
  const shown = hooks.data && (id === "requests" ? hooks.data.requests : hooks.data.webhooks.find((w) => w.id === id));

  const rotate = async (webhook: Webhook | null) => {
    if (webhook && !(await ask({ title: text.rotateTitle, body: <p>{text.rotateHelp}</p>, confirm: text.rotate })))
      return;
    try {
      setFresh(
        (await post("/v1/webhooks/{id}/rotate-secret", {}, { path: { id: webhook?.id ?? "requests" } })).webhook,
      );
      hooks.reload();
    } catch (error) {
      toastError(error);
    }
  };
  const { route } = useLocation();
  const [tests, setTests] = useState(0);
  const test = async (webhook: Webhook) => {
    try {
      await post("/v1/webhooks/{id}/test", {}, { path: { id: webhook.id } });
      setTests(tests + 1);
      if (!id) route(encoded`/webhooks/${webhook.id}`);
    } catch (error) {
      toastError(error);
    }
  };
  const actions = { hooks, onEdit: setEditing, onRotate: rotate, onTest: test };
  return (
    <>
      <header class="page-head">
        <h1>{text.title}</h1>
        {!id && (
          <button class="primary" onClick={() => setEditing("new")}>
            {text.add}
          </button>
        )}
      </header>
      <p class="muted page-about">
        {text.help} <a href="/docs#group-webhooks">{text.guide}</a>
      </p>
      {hooks.error && <Failure error={hooks.error} retry={hooks.reload} />}
      {!hooks.data && !hooks.error && <Waiting />}
      {hooks.data && !id && (
        <div class="stack">
          {hooks.data.webhooks.length === 0 && <Empty title={text.none}>{text.noneHelp}</Empty>}
          {hooks.data.webhooks.map((webhook) => (
            <Hook key={webhook.id} webhook={webhook} {...actions} />
          ))}
          <Requests webhook={hooks.data.requests} onRotate={rotate} />
        </div>
      )}
      {hooks.data && id && (
        <div class="stack">
          <p>
            <a href="/webhooks">{text.back}</a>
          </p>
          {shown &&
            (shown.url ? (
              <Hook webhook={shown} isOpen {...actions} />
            ) : (
              <Requests webhook={shown} isOpen onRotate={rotate} />
            ))}
          <Log id={id} webhook={shown ?? undefined} tests={tests} />
        </div>
      )}
      {editing && (
        <Edit
          webhook={editing === "new" ? undefined : editing}
          takesPrivate={!!hooks.data?.privateAddresses}
          onClose={() => setEditing(undefined)}
          onSaved={(webhook) => {
            setEditing(undefined);
            if (webhook.secret) setFresh(webhook);
            hooks.reload();
          }}
        />
      )}
      {fresh?.secret && (
        <Dialog title={text.secret} onClose={() => setFresh(undefined)} closable={false}>
          <p>{text.secretHelp}</p>
          <p class="secret">
            <code>{fresh.secret}</code>
            <CopyButton value={fresh.secret} />
          </p>
          {fresh.oldSecretUntil && <p class="small muted">{text.oldSecret(moment(fresh.oldSecretUntil))}</p>}
          <footer>
            <button class="primary" onClick={() => setFresh(undefined)}>
              {text.saved}
            </button>
          </footer>
        </Dialog>
      )}
    </>
  );
}

/** Reads again from time to time: deliveries come and fail without a change of the account. */
const useAgain = (reload: () => void, ms = 5000) =>
  useEvery(ms, () => document.visibilityState === "visible" && reload());

interface Actions {
  hooks: { reload: () => void };
  onEdit: (webhook: Webhook) => void;
  onRotate: (webhook: Webhook) => Promise<void>;
  onTest: (webhook: Webhook) => Promise<void>;
}

/** One webhook: what it gets, how it does, and what can be done with it. */
function Hook({ webhook, isOpen, hooks, onEdit, onRotate, onTest }: { webhook: Webhook; isOpen?: boolean } & Actions) {
  const { route } = useLocation();
  const now = useNow();
  const isFailing = webhook.status === "enabled" && !!webhook.failingSince;
  const url = webhook.url!;
  const setStatus = async (status: Webhook["status"]) => {
    if (
      status === "disabled" &&
      !(await ask({ title: text.disableTitle, body: <p>{text.disableHelp}</p>, confirm: text.disable, danger: true }))
    )
      return;
    await patch("/v1/webhooks/{id}", { status }, { path: { id: webhook.id } }).then(hooks.reload, toastError);
  };
  const remove = async () => {
    const body = <p>{text.removeHelp(url)}</p>;
    if (!(await ask({ title: text.removeTitle, body, confirm: text.remove, danger: true }))) return;
    try {
      await del("/v1/webhooks/{id}", { path: { id: webhook.id } });
      hooks.reload();
      route("/webhooks");
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <section class="panel stack webhook" aria-label={url}>
      <header class="row">
        <h2 class="grow">
          <code>{url}</code>
        </h2>
        {isFailing ? (
          <Chip tone="bad">{text.failingState}</Chip>
        ) : (
          <Chip tone={tones[webhook.status]}>{text.status[webhook.status]}</Chip>
        )}
      </header>
      <p class="row small">
        {webhook.events.map((event) => (
          <Chip key={event}>{event === "*" ? text.everything : event}</Chip>
        ))}
      </p>
      {webhook.status === "disabled" && (
        <Notice tone={webhook.reason ? "bad" : "plain"}>
          {webhook.reason ? (
            <>
              <p>{text.disabled(ago(webhook.disabledAt ?? null))}</p>
              <p>{webhook.reason}</p>
            </>
          ) : (
            <p>{text.paused}</p>
          )}
        </Notice>
      )}
      {isFailing && (
        <Notice tone="warn">
          <p>
            {text.failing(lasting(webhook.failingSince, now), moment(webhook.failingSince))}{" "}
            {text.nextTry(webhook.nextAttemptAt ? ahead(webhook.nextAttemptAt, now) : undefined)}
          </p>
        </Notice>
      )}
      {webhook.oldSecretUntil && <p class="small muted">{text.oldSecret(moment(webhook.oldSecretUntil))}</p>}
      <footer class="row">
        {!isOpen && (
          <a class="button quiet" href={encoded`/webhooks/${webhook.id}`}>
            {text.log}
          </a>
        )}
        {webhook.status === "enabled" && (
          <button class="quiet" title={text.testHelp} onClick={() => void onTest(webhook)}>
            {text.test}
          </button>
        )}
        <button class="quiet" onClick={() => onEdit(webhook)}>
          {text.change}
        </button>
        <button class="quiet" onClick={() => void onRotate(webhook)}>
          {text.rotate}
        </button>
        {webhook.status === "enabled" ? (
          <button class="quiet" onClick={() => void setStatus("disabled")}>
            {text.disable}
          </button>
        ) : (
          <button class="primary" onClick={() => void setStatus("enabled")}>
            {text.enable}
          </button>
        )}
        <button class="quiet" onClick={() => void remove()}>
          {text.remove}
        </button>
      </footer>
    </section>
  );
}

/** The webhook that stands for those that requests name. */
function Requests({
  webhook,
  isOpen,
  onRotate,
}: {
  webhook: Webhook | null;
  isOpen?: boolean;
  onRotate: (w: Webhook | null) => Promise<void>;
}) {
  return (
    <section class="panel stack webhook">
      <h2>{text.requests}</h2>
      <p class="small muted">{text.requestsHelp}</p>
      {!webhook && <p class="small muted">{text.requestsNone}</p>}
      {webhook?.oldSecretUntil && <p class="small muted">{text.oldSecret(moment(webhook.oldSecretUntil))}</p>}
      <footer class="row">
        {webhook && !isOpen && (
          <a class="button quiet" href="/webhooks/requests">
            {text.log}
          </a>
        )}
        <button class="quiet" onClick={() => void onRotate(webhook)}>
          {webhook ? text.rotate : text.makeSecret}
        </button>
      </footer>
    </section>
  );
}

/** When something is due, "now" when that has come. */
const ahead = (at: string | number, now: number) => (Number(toDate(at)) <= now ? text.now : ago(at, now));

/** The form of a new webhook, or of one that is changed. */
function Edit({
  webhook,
  takesPrivate,
  onClose,
  onSaved,
}: {
  webhook?: Webhook;
  /** The service sends also to addresses that are not on the public Internet. */
  takesPrivate: boolean;
  onClose: () => void;
  onSaved: (webhook: Webhook) => void;
}) {
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [events, setEvents] = useState<HookEvent[]>(
    (webhook?.events as HookEvent[] | undefined) ?? ["workflow.completed", "workflow.failed"],
  );
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const isPrivate = !!error && /public Internet/.test(error.message);
  const isOfUrl = error instanceof ApiError && error.field === "url";
  const all = events.includes("*");
  const set = (event: HookEvent, wanted: boolean) =>
    setEvents(wanted ? [...events, event] : events.filter((e) => e !== event));
  const submit = async (submitted: Event) => {
    submitted.preventDefault();
    setBusy(true);
    setError(undefined);
    const body = { url: url.trim(), events: all ? (["*"] as HookEvent[]) : events };
    try {
      const saved = webhook
        ? await patch("/v1/webhooks/{id}", body, { path: { id: webhook.id } })
        : await post("/v1/webhooks", body);
      onSaved(saved.webhook);
    } catch (problem) {
      setError(problem as Error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={webhook ? text.change : text.add} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {error && !isOfUrl && <Failure error={error} />}
        <TextField
          label={text.url}
          help={takesPrivate ? text.urlAny : isPrivate && session.value?.operator ? text.urlPrivate : text.urlHelp}
          value={url}
          onInput={(value) => {
            setUrl(value);
            setError(undefined);
          }}
          type="url"
          maxLength={2048}
          error={isOfUrl ? error.message.replace(/^url /, text.thisAddress) : undefined}
        />
        <fieldset class="hook-events">
          <legend>{text.events}</legend>
          <CheckField label={text.all} value={all} onInput={(wanted) => set("*", wanted)} />
          {!all &&
            Object.entries(text.groups).map(([group, name]) => (
              <div key={group}>
                <p class="small muted">{name}</p>
                {eventNames
                  .filter((event) => event.startsWith(group + "."))
                  .map((event) => (
                    <CheckField
                      key={event}
                      label={event}
                      value={events.includes(event)}
                      onInput={(wanted) => set(event, wanted)}
                    />
                  ))}
              </div>
            ))}
        </fieldset>
        <footer class="row end">
          <button class="quiet" type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button class="primary" type="submit" disabled={busy || !url.trim() || !events.length}>
            {webhook ? text.save : text.add}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** The delivery log of a webhook. It is read again after a test. */
function Log({ id, webhook, tests }: { id: string; webhook?: Webhook; tests: number }) {
  const canSend = webhook?.status === "enabled";
  const [status, setStatus] = useState("");
  const [opened, setOpen] = useState<WebhookDelivery>();
  const now = useNow();
  const log = usePages<WebhookDelivery>(
    async (cursor, signal) => {
      const page = await get("/v1/webhooks/{id}/deliveries", {
        path: { id },
        query: { status, cursor, limit: 20 },
        signal,
      });
      return { items: page.deliveries, nextCursor: page.nextCursor };
    },
    [id, status, tests],
  );
  const open = opened && (log.data?.find((delivery) => delivery.id === opened.id) ?? opened); // as it is now
  useChanges(["workflow", "run", "balance", "lora"], log.reload);
  const isFirst = (log.data?.length ?? 0) <= 20; // what was read further down is not read again
  const again = isFirst ? readAgainIn(log.data ?? [], now) : undefined;
  useAgain(() => again && log.reload(), again);
  const send = async (delivery: WebhookDelivery) => {
    const path = { id, deliveryId: delivery.id };
    await post("/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver", {}, { path }).then(log.reload, toastError);
  };
  return (
    <section class="panel stack">
      <header class="row">
        <h2 class="grow">{text.log}</h2>
        <Choices
          label={text.which}
          value={status}
          onInput={setStatus}
          options={["", "delivered", "waiting", "failed"].map((value) => ({
            value,
            label: text.statuses[value] ?? text.any,
          }))}
        />
        <button class="quiet" onClick={log.reload}>
          {text.reload}
        </button>
      </header>
      <PagedTable
        label={text.log}
        list={log}
        keyOf={(delivery) => delivery.id}
        none={<Empty title={status ? text.noSuch : text.noDeliveries}>{!status && text.noDeliveriesHelp}</Empty>}
        columns={[
          { name: text.event, cell: (delivery) => delivery.type },
          {
            name: text.delivery,
            cell: (delivery) => (
              <span>
                <Chip tone={tones[delivery.status]}>{text.statuses[delivery.status]}</Chip>{" "}
                <span class="small muted">
                  {[
                    delivery.attempts > 0 && text.attempts(delivery.attempts),
                    isRetried(delivery) && text.next(ahead(nextTry(delivery, webhook), now)),
                    isHeld(delivery, webhook) && text.waits,
                  ]
                    .filter(Boolean)
                    .join(", ")}
                </span>
              </span>
            ),
          },
          { name: text.when, class: "nowrap", cell: (delivery) => moment(delivery.createdAt) },
          { name: text.answer, cell: (delivery) => delivery.responseStatus ?? (delivery.error || text.noAnswer) },
          {
            name: text.took,
            class: "nowrap",
            cell: (delivery) => delivery.durationMs !== null && text.milliseconds(delivery.durationMs),
          },
          {
            name: "",
            cell: (delivery) => (
              <span class="row actions">
                <button class="quiet" onClick={() => setOpen(delivery)}>
                  {text.details}
                </button>
                {canSend && (delivery.endedAt || isRetried(delivery)) && (
                  <button class="quiet" onClick={() => void send(delivery)}>
                    {delivery.endedAt ? text.again : text.sendNow}
                  </button>
                )}
              </span>
            ),
          },
        ]}
      />
      {open && (
        <Dialog title={open.type} onClose={() => setOpen(undefined)}>
          <div class="stack">
            <p class="small">
              {text.id} <code>{open.id}</code>
            </p>
            <Attempts delivery={open} webhook={webhook} />
            <Code title={text.payload} code={JSON.stringify(open.payload, null, 2)} language="json" wrap />
            {open.response && <Code title={text.response} code={open.response} wrap />}
          </div>
        </Dialog>
      )}
    </section>
  );
}

/** How often a delivery was tried, and what came of the last attempt, which is the one that is kept. */
function Attempts({ delivery, webhook }: { delivery: WebhookDelivery; webhook?: Webhook }) {
  const { attempts, lastAttemptAt, responseStatus, durationMs, error } = delivery;
  return (
    <section class="stack" aria-label={text.attempted}>
      <h3>{attempts > 1 ? text.lastOf(attempts) : text.attempted}</h3>
      {lastAttemptAt ? (
        <dl class="facts">
          <Fact name={text.when}>{moment(lastAttemptAt)}</Fact>
          <Fact name={text.answer}>{responseStatus ?? text.noAnswer}</Fact>
          {durationMs !== null && <Fact name={text.took}>{text.milliseconds(durationMs)}</Fact>}
          {error && <Fact name={text.fault}>{error}</Fact>}
          {isRetried(delivery) && <Fact name={text.nextAttempt}>{moment(nextTry(delivery, webhook))}</Fact>}
        </dl>
      ) : (
        <p class="small muted">{isHeld(delivery, webhook) ? text.notSentWhy : text.notSent}</p>
      )}
    </section>
  );
}
