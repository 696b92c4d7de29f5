// The entry point: restores the session and draws the application.

import { render } from "preact";
import { startLive } from "./live";
import { arriveAgain } from "./place";
import { restoreSession } from "./session";
import { sessionToken } from "./token";
import { App, pageOf } from "./shell";
import { startNotices } from "./notices";
import { startTheme } from "./theme";

startTheme();
void restoreSession();
if (sessionToken()) pageOf(location.pathname)?.component.preload(); // while the service looks the session up
startLive();
startNotices();
const root = document.getElementById("app")!;
root.replaceChildren();
arriveAgain();
render(<App />, root);
