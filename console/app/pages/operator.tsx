// The page "operator".

import { useTitle } from "../hooks";

export default function Page() {
  useTitle("operator");
  return <h1>operator</h1>;
}
