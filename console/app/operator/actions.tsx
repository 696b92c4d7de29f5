// The actions of operators.

import { get } from "../api";
import { moment, words } from "../format";
import { text } from "../texts/operator";
import type { Action } from "../types";
import { Table, useList, Wallet } from "./parts";

export function Actions({ wallet }: { wallet?: string }) {
  const list = useList(
    (options) => get("/v1/operator/actions", options),
    (page) => page.actions,
    { wallet },
  );
  return (
    <Table
      list={list}
      keyOf={(a) => a.id}
      none={text.actions.none}
      columns={[
        { name: text.actions.when, cell: (a) => moment(a.at) },
        {
          name: text.actions.who,
          cell: (a) =>
            a.operator.startsWith("0x") ? <Wallet wallet={a.operator} name={a.operatorName} /> : a.operator,
        },
        {
          name: text.actions.what,
          cell: (a) => (
            <>
              {words(a.action)} <span class="muted">{a.detail}</span>
            </>
          ),
        },
        ...(wallet
          ? []
          : [
              {
                name: text.actions.whom,
                cell: (a: Action) =>
                  a.walletAddress ? <Wallet wallet={a.walletAddress} name={a.username} /> : a.targetId,
              },
            ]),
        { name: text.actions.why, cell: (a) => a.reason },
      ]}
    />
  );
}
