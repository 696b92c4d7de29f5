// Saved uploads: files that the account keeps for reuse.

import { useRef, useState } from "preact/hooks";
import { ApiError, call, encoded, get, post } from "../api";
import { bytes, moment } from "../format";
import { useChanges, useData } from "../hooks";
import { Chip } from "../parts/chip";
import { ask } from "../parts/dialog";
import { Icon, IconButton, kindIcon } from "../parts/icon";
import { Empty, Failure, Notice } from "../parts/notice";
import { toast, toastError } from "../parts/toast";
import { text } from "../texts/library";
import type { AssetRecord } from "../types";
import { accepted, kindOf } from "../upload";
import { sha256 } from "./sha256";

const words = text.uploads;

export function Uploads() {
  const assets = useData((signal) => get("/v1/assets", { signal }), []);
  const can = useData((signal) => get("/v1/assets/capabilities", { signal }), []);
  useChanges([], assets.reload);
  const [sending, setSending] = useState<{ name: string; state: string }[]>([]);
  const input = useRef<HTMLInputElement>(null);
  const limit = assets.data?.limits.fileBytes ?? 0;
  const save = async (file: File) => {
    const at = (state: string | null) =>
      setSending((list) => [
        ...list.filter((f) => f.name !== file.name),
        ...(state ? [{ name: file.name, state }] : []),
      ]);
    try {
      if (!kindOf(file) || file.type === "image/gif") throw new ApiError(words.type);
      if (limit && file.size > limit) throw new ApiError(words.tooLarge(bytes(limit)));
      at(words.hashing);
      const data = await file.arrayBuffer();
      const prepared = await post("/v1/assets/prepare", {
        sha256: await sha256(data),
        bytes: file.size,
        contentType: file.type,
        name: file.name.slice(0, 80),
      });
      if (prepared.reused) return toast(words.same);
      at(words.sending);
      const response = await fetch(prepared.uploadUrl!, {
        method: "PUT",
        headers: prepared.uploadHeaders,
        body: data,
        credentials: "omit",
      });
      if (!response.ok) throw new ApiError(`${file.name}: ${response.status}`, response.status);
      at(words.checking);
      await post("/v1/assets/{id}/finalize", {}, { path: { id: prepared.id } });
    } catch (error) {
      toastError(error);
    } finally {
      at(null);
      assets.reload();
    }
  };
  const remove = async (asset: AssetRecord) => {
    if (
      !(await ask({
        title: words.sure,
        body: (
          <>
            <strong>{asset.name}</strong>
            <p>{words.sureBody}</p>
          </>
        ),
        confirm: text.remove,
        danger: true,
      }))
    )
      return;
    try {
      await call("DELETE", "/v1/assets/{id}", { path: { id: asset.id } });
    } catch (error) {
      toastError(error);
    }
    assets.reload();
  };
  if (assets.error && !assets.data) return <Failure error={assets.error} retry={assets.reload} />;
  const list = assets.data?.assets;
  return (
    <section
      class="stack"
      onDragOver={(e) => e.preventDefault()}
      onDrop={(e) => {
        e.preventDefault();
        for (const f of e.dataTransfer?.files ?? []) void save(f);
      }}>
      <div class="row">
        <button class="primary" disabled={can.data?.enabled === false} onClick={() => input.current!.click()}>
          {words.add}
        </button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          accept={accepted("image", "video", "audio")}
          onChange={(e) => {
            for (const f of e.currentTarget.files ?? []) void save(f);
            e.currentTarget.value = "";
          }}
        />
        {assets.data && <p class="muted small grow">{words.about(bytes(limit), assets.data.limits.idleDays)}</p>}
      </div>
      {can.data?.enabled === false && <Notice tone="warn">{words.noPlan}</Notice>}
      <div role="status">
        {sending.map((f) => (
          <p key={f.name} class="row small">
            <span class="grow cut">{f.name}</span>
            <span class="muted">{f.state}</span>
            <progress class="progress upload-progress" aria-label={f.state} />
          </p>
        ))}
      </div>
      {!list ? (
        <div class="waiting" />
      ) : !list.length && !sending.length ? (
        <Empty title={words.empty}>{words.emptyHelp}</Empty>
      ) : (
        list.length > 0 && (
          <ul class="assets" aria-label={words.list}>
            {list.map((a) => (
              <li key={a.id}>
                <Icon name={kindIcon(a.contentType.split("/")[0])} />
                <span class="grow">
                  <strong class="cut asset-name">{a.name || a.id}</strong>{" "}
                  {a.state === "uploading" && <Chip tone="warn">{words.uploadingState}</Chip>}
                  <span class="muted small asset-facts">
                    <span>{bytes(a.bytes)}</span>
                    <span>
                      {words.saved} {moment(a.createdAt)}
                    </span>
                    <span>
                      {words.expires} {moment(a.expiresAt)}
                    </span>
                  </span>
                </span>
                {a.state === "ready" && (
                  <a class="quiet" href={encoded`/?asset=${a.id}`}>
                    {words.use}
                  </a>
                )}
                <IconButton
                  icon="trash"
                  size={18}
                  label={words.remove(a.name || a.id)}
                  onClick={() => void remove(a)}
                />
              </li>
            ))}
          </ul>
        )
      )}
    </section>
  );
}
