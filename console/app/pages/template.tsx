// The page "template".

import { useTitle } from "../hooks";

export default function Page() {
  useTitle("template");
  return <h1>template</h1>;
}
