// What a workflow costs, in one line.

import { price, unit } from "../format";
import { text } from "../texts/workflow";
import { beforeDiscount, isCovered, isEstimated, sparkOf, type Workflow } from "./model";

export function WorkflowCost({ workflow }: { workflow: Workflow }) {
  const full = beforeDiscount(workflow);
  return (
    <span class="muted">
      {text.cost} {isEstimated(workflow) && `${text.estimated} `}
      <span class="tabular">{unit(price(sparkOf(workflow)), "Spark")}</span>
      {isCovered(workflow) && ` ${text.byPlan}`}
      {full && ` ${text.discount(price(full))}`}
    </span>
  );
}
