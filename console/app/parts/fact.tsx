// One line of a list of facts.

import type { ComponentChildren } from "preact";

export const Fact = ({
  name,
  class: style,
  children,
}: {
  name: string;
  class?: string;
  children: ComponentChildren;
}) => (
  <div>
    <dt>{name}</dt>
    <dd class={style}>{children}</dd>
  </div>
);
