// The page "workflow".

import { useTitle } from "../hooks";

export default function Page() {
  useTitle("workflow");
  return <h1>workflow</h1>;
}
