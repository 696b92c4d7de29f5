// The page "templates".

import { useTitle } from "../hooks";

export default function Page() {
  useTitle("templates");
  return <h1>templates</h1>;
}
