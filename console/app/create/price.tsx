// What a request would cost, as the service estimates it while the form changes.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, encoded, post } from "../api";
import { amount, price } from "../format";
import { useChanges, useSettled } from "../hooks";
import { session } from "../session";
import { text } from "../texts/create";
import type { Bodies, Estimate } from "../types";
import { inWords } from "../workflow/words";

/** The estimate of a request, or the error of a form that cannot start. */
export function useEstimate(body: Bodies["POST /v1/creative-agent/workflows/estimate"] | null): {
  estimate?: Estimate;
  error?: Error;
} {
  const [state, setState] = useState<{ estimate?: Estimate; error?: Error }>({});
  const [version, setVersion] = useState(0);
  const wanted = useSettled(body && JSON.stringify(body), 300);
  useChanges(["balance"], () => setVersion((v) => v + 1));
  useEffect(() => {
    if (!wanted) return setState({});
    const abort = new AbortController();
    post("/v1/creative-agent/workflows/estimate", JSON.parse(wanted), { signal: abort.signal }).then(
      (data) => !abort.signal.aborted && setState({ estimate: data.estimate }),
      (error) => !abort.signal.aborted && setState({ error }),
    );
    return () => abort.abort();
  }, [wanted, version]);
  return state;
}

/** Why there is no price of a complete form: it is being read, the service refuses the request, or it does not answer. */
export function whyUnpriced(error: Error | undefined, message = error?.message): string {
  if (!error) return text.pricePending;
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429
    ? message!
    : text.priceUnknown;
}

/** That the balance does not suffice, and who can change that. */
function TooMuch() {
  const { operator, walletAddress } = session.value!;
  return (
    <span class="small warn-text" role="status">
      {text.tooMuch}{" "}
      {operator ? (
        <a href={encoded`/operator/accounts/${walletAddress}`}>{text.addCredits}</a>
      ) : (
        <>
          {text.askForCredits} <code>atelier account credit</code>.
        </>
      )}
    </span>
  );
}

/** Price and balance after, or why there is no price. Its height is the same with and without them. */
export function Price({ estimate, why }: { estimate?: Estimate; why: ComponentChildren }) {
  if (!estimate) return <p class="price muted small">{why}</p>;
  const part = estimate.payment.parts[0];
  const left =
    part && estimate.balanceAfter[part.token === "premium_spark" ? "premiumSpark" : (part.token as "spark" | "svc")];
  // The form says already that the result will be a preview.
  const warnings =
    !estimate.sufficient || estimate.steps.some((s) => ["expected", "preview", "nobody"].includes(s.servedBy ?? ""))
      ? []
      : estimate.warnings;
  return (
    <p class="price" aria-live="polite">
      {(estimate.payment.parts.length ? estimate.payment.parts : [{ token: "spark", amount: estimate.cost.spark }]).map(
        (p) => (
          <span key={p.token}>
            <span class="figure-small">{price(p.amount)}</span>{" "}
            <span class="muted small">{text.tokens[p.token] ?? p.token}</span>
          </span>
        ),
      )}
      <span class="muted small price-after">
        {estimate.coveredByPlan ? text.byPlan : estimate.sufficient && left !== undefined && text.after(amount(left))}
      </span>
      {!estimate.sufficient && <TooMuch />}
      {warnings.map((w) => (
        <span class="small warn-text" key={w}>
          {inWords(w.replace(/^Step "[^"]*": /, ""), (model) => model)}
        </span>
      ))}
    </p>
  );
}
