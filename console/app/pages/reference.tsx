// The page "reference".

import { useTitle } from "../hooks";

export default function Page() {
  useTitle("reference");
  return <h1>reference</h1>;
}
