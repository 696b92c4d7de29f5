// Signing in with an OpenID provider, and accepting an invitation: what the sign-in page shows besides the field for
// a key. It is loaded after the page.

import { useState } from "preact/hooks";
import { get, post } from "./api";
import { useData } from "./hooks";
import { CopyButton } from "./parts/copy";
import { Failure } from "./parts/notice";
import { signIn } from "./session";
import { text } from "./texts/providers";

const invitationIn = (hash: string) => /^#invitation=([\w-]+)$/.exec(hash)?.[1] ?? "";

export default function Providers() {
  const [invitation] = useState(() => invitationIn(location.hash));
  const found = useData((signal) => get("/v1/console/providers", { signal }), []).data?.providers ?? [];
  const query = invitation && "?invitation=" + encodeURIComponent(invitation);
  if (!invitation && !found.length) return null;
  return (
    <div class="providers">
      {invitation && <p>{found.length ? text.invited : text.invitedWithKey}</p>}
      {/* With a target the address is not taken for a page of the console. */}
      {found.map((provider) => (
        <a key={provider.name} class="button primary" target="_top" href={provider.path + query}>
          {text.signInWith(provider.title)}
        </a>
      ))}
      {invitation && <Accept code={invitation} />}
    </div>
  );
}

/** Accepts an invitation without a provider: the new member gets an API key. */
function Accept({ code }: { code: string }) {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState<Error>();
  const accept = () =>
    post("/v1/invitations/accept", { code }).then((accepted) => {
      history.replaceState(history.state, "", location.pathname);
      setKey(accepted.apiKey);
    }, setProblem);
  if (!key)
    return (
      <>
        {problem && <Failure error={problem} />}
        <button class="quiet" type="button" onClick={accept}>
          {text.accept}
        </button>
      </>
    );
  return (
    <>
      <p>{text.yourKey}</p>
      <div class="row key-command">
        <pre class="grow">{key}</pre>
        <CopyButton value={key} />
      </div>
      <button class="primary" type="button" onClick={() => signIn({ apiKey: key }).catch(setProblem)}>
        {text.goOn}
      </button>
    </>
  );
}
