// Error messages: the service's message, with the request id under which
// its log has the cause.

import { h } from "./dom.js";

/** A message box. The tone is bad or plain. */
export function notice(text, { tone = "bad", requestId = "", wait = 0 } = {}) {
  return h("div", { class: `notice ${tone}`, role: tone === "bad" ? "alert" : "status" },
    h("p", null, text, wait > 0 && ` Try again in ${wait} s.`),
    requestId && h("p", { class: "small muted" }, "Request ", h("code", null, requestId)));
}

/** The message box for an error, whether the service's or ours. */
export function failure(error) {
  return notice(error.message || String(error), { requestId: error.requestId, wait: error.retryAfter });
}
