// The actions of operators.

import { get } from "../api";
import { moment, words } from "../format";
import { PagedTable } from "../parts/table";
import { text } from "../texts/operator";
import { connectionOf } from "./acted-on";
import { useList, Wallet } from "./parts";

export function Actions({ wallet }: { wallet?: string }) {
  const list = useList(
    (options) => get("/v1/operator/actions", options),
    (page) => page.actions,
    { wallet },
  );
  return (
    <PagedTable
      label={text.areas.actions}
      list={list}
      keyOf={(a) => a.id}
      none={text.actions.none}
      columns={[
        {
          name: text.actions.what,
          cell: (a) => (
            <>
              {words(a.action)} <span class="muted">{a.detail}</span>
            </>
          ),
        },
        !wallet && {
          name: text.actions.whom,
          cell: (a) =>
            a.walletAddress ? (
              <Wallet wallet={a.walletAddress} name={a.username} />
            ) : connectionOf(a) ? (
              <span title={a.targetId ?? undefined}>{text.actions.connection(connectionOf(a)!)}</span>
            ) : (
              <code class="small cut" title={a.targetId ?? undefined}>
                {a.targetId}
              </code>
            ),
        },
        {
          name: text.actions.who,
          cell: (a) =>
            a.operator.startsWith("0x") ? <Wallet wallet={a.operator} name={a.operatorName} /> : a.operator,
        },
        { name: text.actions.why, cell: (a) => a.reason },
        { name: text.actions.when, cell: (a) => moment(a.at) },
      ]}
    />
  );
}
