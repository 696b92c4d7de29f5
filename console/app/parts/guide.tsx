// A link to a guide of the documentation.

import { guides } from "../texts/models";

export const Guide = ({ page, children }: { page: string; children: string }) => (
  <a href={`${guides}/${page}.md`} rel="noreferrer">
    {children}
  </a>
);
