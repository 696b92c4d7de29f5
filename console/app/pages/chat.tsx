// Chat: the conversations, and the one that is open.

import { useLocation, useRoute } from "preact-iso/router";
import { useLayoutEffect, useState } from "preact/hooks";
import { Conversations } from "../chat/conversations";
import { endNew, newId } from "../chat/draft";
import { Talk } from "../chat/talk";

export default function Chat() {
  const { params } = useRoute();
  const { route } = useLocation();
  const id = params.id ? decodeURIComponent(params.id) : newId.value;
  const [listShown, setListShown] = useState(false);
  useLayoutEffect(() => setListShown(false), [id]);
  useLayoutEffect(() => {
    if (params.id) endNew(id); // now, so that a conversation that gets its address is drawn as it was
  }, [id, params.id]);
  const begin = () => {
    setListShown(false);
    route("/chat");
  };
  return (
    <div class="chat">
      <Conversations current={params.id ? id : ""} shown={listShown} onNew={begin} />
      <Talk
        key={id}
        id={id}
        isNew={id === newId.value}
        onList={() => setListShown((shown) => !shown)}
        listShown={listShown}
      />
    </div>
  );
}
