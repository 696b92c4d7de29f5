// One line of a list of facts.

import type { ComponentChildren } from "preact";

export const Fact = ({
  name,
  class: style,
  wide,
  children,
}: {
  name: string;
  class?: string;
  /** Over all columns: it is long. */
  wide?: boolean;
  children: ComponentChildren;
}) => (
  <div class={wide ? "wide" : undefined}>
    <dt>{name}</dt>
    <dd class={style}>{children}</dd>
  </div>
);
