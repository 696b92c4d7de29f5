// Chat: the conversations, and the one that is open.

import { useLocation, useRoute } from "preact-iso/router";
import { useLayoutEffect, useState } from "preact/hooks";
import { Conversations } from "../chat/conversations";
import { endNew, newId } from "../chat/draft";
import { Talk } from "../chat/talk";
import { Dialog } from "../parts/dialog";
import { text } from "../texts/chat";

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
      <Conversations current={params.id ? id : ""} onNew={begin} />
      {listShown && (
        <Dialog title={text.conversations} onClose={() => setListShown(false)} side>
          <Conversations current={params.id ? id : ""} onNew={begin} />
        </Dialog>
      )}
      <Talk key={id} id={id} isNew={id === newId.value} onList={() => setListShown(true)} />
    </div>
  );
}
