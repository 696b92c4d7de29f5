// The page "workflows".

import { useTitle } from "../hooks";

export default function Page() {
  useTitle("workflows");
  return <h1>workflows</h1>;
}
