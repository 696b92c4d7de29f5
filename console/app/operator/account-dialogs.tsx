// What an operator does with an account, each in a dialog that asks for a reason.

import { useState } from "preact/hooks";
import { del, post, put, randomId } from "../api";
import { words } from "../format";
import { SelectField, TextField } from "../parts/field";
import { text } from "../texts/operator";
import type { Account } from "../types";
import { nothingToAdd, plans, useAmounts } from "./account-parts";
import { ActionDialog } from "./parts";

const labels = text.accounts;

interface DialogProps {
  account: Account;
  onClose: () => void;
  /** Called with what was done when the account has changed. */
  onDone: (said: string) => void;
}

const pathOf = (account: Account) => ({ wallet: account.walletAddress });

function CreditDialog({ account, onClose, onDone }: DialogProps) {
  const amounts = useAmounts();
  const [idempotencyKey] = useState(randomId);
  const add = async (reason?: string) => {
    if (!Object.keys(amounts.body).length) throw nothingToAdd;
    const options = { path: pathOf(account), idempotencyKey };
    await post("/v1/operator/accounts/{wallet}/credit", { ...amounts.body, reason }, options);
    onDone(labels.credited(account.username));
  };
  return (
    <ActionDialog
      title={labels.creditTitle(account.username)}
      confirm={labels.credit}
      onClose={onClose}
      onProblem={amounts.onProblem}
      run={add}>
      {amounts.fields}
    </ActionDialog>
  );
}

const statuses: Account["planStatus"][] = [
  "active",
  "trialing",
  "cancel_at_period_end",
  "grace_period",
  "past_due",
  "expired",
  "canceled",
  "none",
];

function PlanDialog({ account, onClose, onDone }: DialogProps) {
  const [plan, setPlan] = useState(account.plan);
  const [status, setStatus] = useState<Account["planStatus"]>(
    account.planStatus === "none" ? "active" : account.planStatus,
  );
  const [end, setEnd] = useState("");
  const change = async (reason?: string) => {
    const body = {
      plan,
      status: plan === "none" ? undefined : status,
      periodEnd: end ? new Date(end).toISOString() : undefined,
      reason,
    };
    await put("/v1/operator/accounts/{wallet}/plan", body, { path: pathOf(account) });
    onDone(labels.planSet(account.username));
  };
  return (
    <ActionDialog title={labels.setPlan} confirm={labels.setPlan} onClose={onClose} run={change}>
      <SelectField label={labels.plan} value={plan} onInput={setPlan} options={plans} />
      {plan !== "none" && (
        <SelectField
          label={labels.status}
          value={status}
          onInput={setStatus}
          options={statuses.map((value) => ({ value, label: words(value) }))}
        />
      )}
      {plan !== "none" && (
        <TextField
          label={labels.periodEnd}
          help={labels.periodEndHelp}
          type="datetime-local"
          value={end}
          onInput={setEnd}
          optional
        />
      )}
    </ActionDialog>
  );
}

function SuspendDialog({ account, onClose, onDone }: DialogProps) {
  return (
    <ActionDialog
      title={labels.suspendTitle(account.username)}
      about={labels.suspendText}
      confirm={labels.suspend}
      danger
      onClose={onClose}
      run={async (reason) => {
        await post("/v1/operator/accounts/{wallet}/suspend", { reason }, { path: pathOf(account) });
        onDone(labels.isSuspended(account.username));
      }}
    />
  );
}

function ReinstateDialog({ account, onClose, onDone }: DialogProps) {
  return (
    <ActionDialog
      title={labels.reinstateTitle(account.username)}
      about={labels.reinstateText}
      confirm={labels.reinstate}
      onClose={onClose}
      run={async (reason) => {
        await post("/v1/operator/accounts/{wallet}/reinstate", { reason }, { path: pathOf(account) });
        onDone(labels.isReinstated(account.username));
      }}
    />
  );
}

function RoleDialog({ account, onClose, onDone }: DialogProps) {
  return (
    <ActionDialog
      title={account.operator ? labels.endOperatorTitle(account.username) : labels.makeOperatorTitle(account.username)}
      about={account.operator ? labels.endOperatorText : labels.makeOperatorText}
      confirm={account.operator ? labels.endOperator : labels.makeOperator}
      onClose={onClose}
      run={async (reason) => {
        const body = { operator: !account.operator, reason };
        await put("/v1/operator/accounts/{wallet}/operator", body, { path: pathOf(account) });
        onDone(account.operator ? labels.noOperator(account.username) : labels.isOperator(account.username));
      }}
    />
  );
}

function NFTDialog({ account, onClose, onDone }: DialogProps) {
  const [id, setId] = useState("");
  const add = async (reason?: string) => {
    const path = { ...pathOf(account), nftTokenId: id.trim() };
    await put("/v1/operator/accounts/{wallet}/nfts/{nftTokenId}", { reason }, { path });
    onDone(labels.nftAdded(account.username));
  };
  return (
    <ActionDialog title={labels.addNFT} about={labels.addNFTText} confirm={labels.addNFT} onClose={onClose} run={add}>
      <TextField label={labels.nftId} value={id} onInput={setId} maxLength={40} />
    </ActionDialog>
  );
}

function RevokeAllDialog({ account, onClose, onDone }: DialogProps) {
  return (
    <ActionDialog
      title={labels.revokeAll}
      about={labels.revokeAllText}
      confirm={labels.revokeAll}
      danger
      onClose={onClose}
      run={async () => {
        await del("/v1/operator/accounts/{wallet}/keys", { path: pathOf(account) });
        onDone(labels.allRevoked(account.username));
      }}
    />
  );
}

export const accountDialogs = {
  credit: CreditDialog,
  plan: PlanDialog,
  suspend: SuspendDialog,
  reinstate: ReinstateDialog,
  role: RoleDialog,
  nft: NFTDialog,
  revokeAll: RevokeAllDialog,
};
