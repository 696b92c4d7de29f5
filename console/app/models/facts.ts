// What the list of models and the page of one say alike.

import type { Model } from "../create/catalog";
import { price } from "../format";
import { text } from "../texts/models";

/** The tone of a chip that says who serves a model. */
export const tones = { workers: "good", vendor: "good", expected: "warn", preview: "warn", nobody: "" } as const;

/** The price of one render with the defaults, in Spark, which is what is charged. */
export function priceOf(m: Model): string {
  const spark = m.parameters.costPerBaseRenderInSpark;
  return spark === undefined ? text.free : text.spark(price(spark));
}
