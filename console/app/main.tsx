// The entry point: restores the session and draws the application.

import { render } from "preact";
import { startLive } from "./live";
import { restoreSession } from "./session";
import { App } from "./shell";

void restoreSession();
startLive();
const root = document.getElementById("app")!;
root.replaceChildren();
render(<App />, root);
