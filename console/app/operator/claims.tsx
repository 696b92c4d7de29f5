// Claims of earnings that wait for an operator: what is asked for, who asked for the renders, and how long they took.

import { useState } from "preact/hooks";
import { encoded, get, post } from "../api";
import { amount, count, moment } from "../format";
import { useData } from "../hooks";
import { useModelNames } from "../models/names";
import { Empty, Failure } from "../parts/notice";
import { Table } from "../parts/table";
import { text } from "../texts/operator";
import type { Claim } from "../types";
import { noteDecision } from "./decisions";
import { ActionDialog, Wallet } from "./parts";

export function Claims() {
  const list = useData((signal) => get("/v1/operator/claims", { signal }), []);
  const [open, setOpen] = useState<{ claim: Claim; pay: boolean }>();
  if (list.error) return <Failure error={list.error} retry={list.reload} />;
  if (!list.data) return <div class="waiting tall" />;
  return (
    <section class="stack">
      <p class="muted">{text.claims.about}</p>
      {list.data.claims.length === 0 && <Empty title={text.claims.none}>{text.claims.noneHelp}</Empty>}
      {list.data.claims.map((claim) => (
        <ClaimPanel key={claim.claimId} claim={claim} decide={(pay) => setOpen({ claim, pay })} />
      ))}
      {open && (
        <ActionDialog
          title={open.pay ? text.claims.pay : text.claims.refuse}
          about={open.pay ? text.claims.payText : text.claims.refuseText}
          confirm={open.pay ? text.claims.pay : text.claims.refuse}
          danger={!open.pay}
          onClose={() => setOpen(undefined)}
          run={async (reason) => {
            await post(
              "/v1/operator/claims/{claimId}",
              { decision: open.pay ? "pay" : "refuse", reason },
              { path: { claimId: open.claim.claimId } },
            );
            list.reload();
            noteDecision();
          }}
        />
      )}
    </section>
  );
}

function ClaimPanel({ claim, decide }: { claim: Claim; decide: (pay: boolean) => void }) {
  return (
    <article class="panel stack">
      <header class="row">
        <h2>
          ${amount(claim.usd)} · {amount(claim.svc)} SVC
        </h2>
        <Account {...claim} />{" "}
        <span class="muted">
          {claim.months.join(", ")} · {moment(claim.claimedAt)}
        </span>
      </header>
      {claim.spotChecks.compared > 0 && (
        <p class="muted">{text.claims.checked(claim.spotChecks.compared, claim.spotChecks.wrong)}</p>
      )}
      <ul>
        {claim.reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <Requesters claim={claim} />
      <Models claim={claim} />
      <footer class="row">
        <button class="quiet danger" onClick={() => decide(false)}>
          {text.claims.refuse}
        </button>
        <button class="primary" onClick={() => decide(true)}>
          {text.claims.pay}
        </button>
      </footer>
    </article>
  );
}

/** Who asked for the renders. */
function Requesters({ claim }: { claim: Claim }) {
  return (
    <Table
      label={text.claims.requesters}
      rows={claim.requesters}
      keyOf={(r) => r.walletAddress}
      columns={[
        { name: text.claims.requesters, cell: (r) => <Account {...r} /> },
        { name: text.claims.jobs, number: true, cell: (r) => count(r.jobs) },
        { name: text.claims.share, number: true, cell: (r) => `${r.sharePct.toFixed(1)} %` },
        { name: text.claims.atMost, number: true, cell: (r) => `$${amount(r.usd)} · ${amount(r.svc)} SVC` },
      ]}
    />
  );
}

const pace = (secondsPerSpark: number) => `${secondsPerSpark.toFixed(2)} s`;

/** What was rendered, and how long it took beside the same work of others. */
function Models({ claim }: { claim: Claim }) {
  const names = useModelNames();
  return (
    <Table
      label={text.claims.models}
      rows={claim.models}
      keyOf={(m) => m.modelId}
      columns={[
        { name: text.claims.models, cell: (m) => names(m.modelId) },
        { name: text.claims.jobs, number: true, cell: (m) => count(m.jobs) },
        { name: text.claims.pace, number: true, cell: (m) => pace(m.secondsPerSpark) },
        {
          name: text.claims.usual,
          number: true,
          cell: (m) => (m.usualSecondsPerSpark === null ? text.claims.noOther : pace(m.usualSecondsPerSpark)),
        },
      ]}
    />
  );
}

const Account = ({ walletAddress, username }: { walletAddress: string; username: string }) =>
  username ? (
    <a href={encoded`/operator/accounts/${walletAddress}`} title={walletAddress}>
      {username}
    </a>
  ) : (
    <Wallet wallet={walletAddress} />
  );
