// Claims of earnings that wait for an operator: what is asked for, who asked for the renders, and how long they took.

import { useState } from "preact/hooks";
import { encoded, get, post } from "../api";
import { amount, count, moment } from "../format";
import { useData } from "../hooks";
import { useModelNames } from "../models/names";
import { Failure } from "../parts/notice";
import { text } from "../texts/operator";
import type { Claim } from "../types";
import { ActionDialog, Wallet } from "./parts";

export function Claims() {
  const list = useData((signal) => get("/v1/operator/claims", { signal }), []);
  const [open, setOpen] = useState<{ claim: Claim; pay: boolean }>();
  if (list.error) return <Failure error={list.error} retry={list.reload} />;
  if (!list.data) return <div class="waiting tall" />;
  return (
    <section class="stack">
      <p class="muted">{text.claims.about}</p>
      {list.data.claims.length === 0 && <p class="muted">{text.claims.none}</p>}
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
    <div class="table-scroll" tabIndex={0} role="group" aria-label={text.claims.requesters}>
      <table>
        <thead>
          <tr>
            <th>{text.claims.requesters}</th>
            <th class="number-cell">{text.claims.jobs}</th>
            <th class="number-cell">{text.claims.share}</th>
            <th class="number-cell">{text.claims.atMost}</th>
          </tr>
        </thead>
        <tbody>
          {claim.requesters.map((r) => (
            <tr key={r.walletAddress}>
              <td>
                <Account {...r} />
              </td>
              <td class="number-cell">{count(r.jobs)}</td>
              <td class="number-cell">{r.sharePct.toFixed(1)} %</td>
              <td class="number-cell">
                ${amount(r.usd)} · {amount(r.svc)} SVC
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What was rendered, and how long it took beside the same work of others. */
function Models({ claim }: { claim: Claim }) {
  const names = useModelNames();
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label={text.claims.models}>
      <table>
        <thead>
          <tr>
            <th>{text.claims.models}</th>
            <th class="number-cell">{text.claims.jobs}</th>
            <th class="number-cell">{text.claims.pace}</th>
            <th class="number-cell">{text.claims.usual}</th>
          </tr>
        </thead>
        <tbody>
          {claim.models.map((m) => (
            <tr key={m.modelId}>
              <td>{names(m.modelId)}</td>
              <td class="number-cell">{count(m.jobs)}</td>
              <td class="number-cell">{m.secondsPerSpark.toFixed(2)} s</td>
              <td class="number-cell">
                {m.usualSecondsPerSpark === null ? text.claims.noOther : `${m.usualSecondsPerSpark.toFixed(2)} s`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
