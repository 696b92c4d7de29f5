// The page "builder".

import { useTitle } from "../hooks";

export default function Page() {
  useTitle("builder");
  return <h1>builder</h1>;
}
