// What was done with the keys and sessions of the account, and to it by operators.

import { get } from "../api";
import { moment, words } from "../format";
import { usePages } from "../hooks";
import { text } from "../texts/keys";
import type { AccountAction, APIKey } from "../types";
import { PagedTable } from "./table";

export function AccountActions({ keys }: { keys: APIKey[] | undefined }) {
  const list = usePages<AccountAction>(
    async (cursor, signal) => {
      const page = await get("/v1/account/actions", { query: { cursor, limit: 20 }, signal });
      return { items: page.actions, nextCursor: page.nextCursor };
    },
    [keys], // what changes the list of keys is in the list of actions
  );
  const nameOf = (id: string) => {
    const key = keys?.find((k) => k.keyId === id);
    return key ? key.name || key.hint + "…" : id.slice(0, 8) + "…";
  };
  return (
    <section class="panel stack">
      <h2>{text.actions}</h2>
      <p class="small muted">{text.actionsHelp}</p>
      <PagedTable
        label={text.actions}
        list={list}
        keyOf={(a) => a.id}
        none={text.noActions}
        columns={[
          {
            name: text.action,
            cell: (a) => (
              <>
                {words(a.action)} <span class="muted">{a.detail}</span>
              </>
            ),
          },
          {
            name: text.actionBy,
            cell: (a) =>
              a.by === "operator" ? text.byOperator : (a.member ?? (a.keyId ? text.byKey(nameOf(a.keyId)) : "")),
          },
          { name: text.actionWhen, class: "nowrap", cell: (a) => moment(a.at) },
        ]}
      />
    </section>
  );
}
