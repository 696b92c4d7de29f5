// LoRAs and refusals of the content filter, which an operator judges.

import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { get, post } from "../api";
import { moment, words } from "../format";
import { useModelNames } from "../models/names";
import { Chip, Status } from "../parts/chip";
import { SelectField } from "../parts/field";
import { Empty } from "../parts/notice";
import { PagedTable } from "../parts/table";
import { toastError } from "../parts/toast";
import { text } from "../texts/operator";
import type { OperatorLora } from "../types";
import { noteDecision } from "./decisions";
import { ActionDialog, useList, Wallet, When } from "./parts";

type LoraAction = "hold" | "release" | "revoke";

export function Loras() {
  const { query, path, route } = useLocation();
  const status = query.status ?? "review";
  const list = useList(
    (options) => get("/v1/operator/loras", options),
    (page) => page.loras,
    { status: status === "all" ? undefined : status },
  );
  const nameOf = useModelNames();
  const [open, setOpen] = useState<{ lora: OperatorLora; action: LoraAction }>();
  const run = async (reason?: string) => {
    const { lora, action } = open!;
    if (action === "revoke") await post("/v1/operator/loras/{id}/revoke", { reason }, { path: { id: lora.id } });
    else
      await post(
        "/v1/operator/loras/{id}/review",
        { release: action === "release", reason },
        { path: { id: lora.id } },
      );
    list.reload();
    noteDecision();
  };
  return (
    <section class="stack">
      <div class="status-filter">
        <SelectField
          label={text.loras.status}
          value={status}
          onInput={(value) => route(`${path}?status=${value}`, true)}
          options={["review", "ready", "queued", "validating", "rejected", "revoked", "all"].map((value) => ({
            value,
            label: value === "all" ? text.jobs.all : words(value),
          }))}
        />
      </div>
      <PagedTable
        label={text.areas.loras}
        list={list}
        keyOf={(l) => l.id}
        none={
          status === "review" ? (
            <Empty title={text.loras.noneWaiting}>{text.loras.noneHelp}</Empty>
          ) : (
            <Empty title={text.loras.none} />
          )
        }
        columns={[
          {
            name: text.loras.name,
            cell: (l) => (
              <>
                {l.name}
                <br />
                <span class="small muted">{l.link || l.source}</span>
              </>
            ),
          },
          { name: text.loras.status, cell: (l) => <Status status={l.status} /> },
          { name: text.loras.model, cell: (l) => (l.modelId ? nameOf(l.modelId) : l.family) },
          { name: text.reason, cell: (l) => l.reason && <span class="excerpt">{l.reason}</span> },
          { name: text.loras.since, cell: (l) => <When at={l.updatedAt} /> },
          { name: text.loras.owner, cell: (l) => <Wallet wallet={l.walletAddress} name={l.username} /> },
          { name: "", cell: (l) => <LoraButtons lora={l} onOpen={(action) => setOpen({ lora: l, action })} /> },
        ]}
      />
      {open && (
        <ActionDialog
          title={`${text.loras[open.action]}: ${open.lora.name}`}
          about={open.action === "revoke" ? text.loras.revokeText : undefined}
          confirm={text.loras[open.action]}
          reasonHelp={open.action === "release" ? undefined : text.loras.reasonHelp}
          danger={open.action === "revoke"}
          onClose={() => setOpen(undefined)}
          run={run}
        />
      )}
    </section>
  );
}

/** What can be done with a LoRA in its state. */
function LoraButtons({ lora, onOpen }: { lora: OperatorLora; onOpen: (action: LoraAction) => void }) {
  return (
    <span class="row">
      {lora.status === "ready" && (
        <button class="quiet" onClick={() => onOpen("hold")}>
          {text.loras.hold}
        </button>
      )}
      {lora.status === "review" && (
        <button class="quiet" onClick={() => onOpen("release")}>
          {text.loras.release}
        </button>
      )}
      {["ready", "review"].includes(lora.status) && (
        <button class="quiet" onClick={() => onOpen("revoke")}>
          {text.loras.revoke}
        </button>
      )}
    </span>
  );
}

export function FilterReviews() {
  const list = useList(
    (options) => get("/v1/operator/filter-reviews", options),
    (page) => page.filterReviews,
  );
  const judge = async (id: string, verdict: "upheld" | "overturned") => {
    try {
      await post("/v1/operator/filter-reviews/{id}", { verdict }, { path: { id } });
      list.reload();
      noteDecision();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <section class="stack">
      <p class="muted">{text.filter.about}</p>
      <PagedTable
        label={text.areas.filter}
        list={list}
        keyOf={(r) => r.id}
        none={<Empty title={text.filter.none}>{text.filter.noneHelp}</Empty>}
        columns={[
          { name: text.filter.excerpt, cell: (r) => <span class="excerpt">{r.excerpt}</span> },
          { name: text.actions.when, cell: (r) => moment(r.at) },
          {
            name: text.filter.categories,
            cell: (r) => (
              <span class="row">
                {r.categories.map((c) => (
                  <Chip key={c}>{words(c)}</Chip>
                ))}
              </span>
            ),
          },
          { name: text.jobs.account, cell: (r) => <Wallet wallet={r.walletAddress} name={r.username} /> },
          {
            name: text.filter.verdict,
            cell: (r) =>
              r.verdict ? (
                <Chip tone={r.verdict === "upheld" ? "good" : "warn"}>{text.filter[r.verdict]}</Chip>
              ) : (
                <span class="row">
                  <button class="quiet" onClick={() => void judge(r.id, "upheld")}>
                    {text.filter.upheld}
                  </button>
                  <button class="quiet" onClick={() => void judge(r.id, "overturned")}>
                    {text.filter.overturned}
                  </button>
                </span>
              ),
          },
        ]}
      />
    </section>
  );
}
