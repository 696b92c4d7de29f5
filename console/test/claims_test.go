package test

import "testing"

// claimsOfService answers what a service with a closed month and a claim that waits would
// answer: a month ends too seldom for a test.
const claimsOfService = `(() => {
	const real = fetch, state = { status: "unclaimed" };
	const month = () => ({ month: "2026-10", yourRenderSpark: 1600, yourSharePct: 62.5, estimatedPayoutUsd: 8.25, finalized: true, claim: { status: state.status, amountUsd: 8.25 } });
	const claim = { claimId: "c1", walletAddress: "0x5c8e21d7f6043f1c2a9e7b644d0e9a5342c19f08", username: "wil", status: "waiting", months: ["2026-10"], usd: "8.250000", svc: "1.500000",
		reasons: ["One account, 0xa7684ca72d7d40c59236e28faa8f5ed20123bf4c, asked for 99 % of it."], claimedAt: "2026-11-03T09:00:00Z", decidedAt: null, decision: "",
		requesters: [{ walletAddress: "0xa7684ca72d7d40c59236e28faa8f5ed20123bf4c", username: "ann", jobs: 80, usd: "20.480000", svc: "0.000000", sharePct: 99.4 },
			{ walletAddress: "0x42c19f085c8e21d7f6043f1c2a9e7b644d0e9a53", username: "", jobs: 2, usd: "0.100000", svc: "1.500000", sharePct: 0.6 }],
		spotChecks: { compared: 3, wrong: 1 }, models: [{ modelId: "z_image_turbo_bf16", jobs: 82, spark: "8192.000000", secondsPerSpark: 0.01, usualSecondsPerSpark: 1.9 }] };
	const answers = {
		"GET /v1/subscriptions/worker/earnings": () => ({ summary: {}, months: [month()] }),
		"POST /v1/subscriptions/worker/earnings/claim": () => (state.status = "waiting", { claim: { claimId: "c1", status: "waiting" } }),
		"GET /v1/operator/claims": () => ({ claims: state.decided ? [] : [claim] }),
		"GET /v1/operator/spot-checks": () => ({ nextCursor: null, spotChecks: [{ jobId: "01a1e866-2b90-7b41-b326-bed9f5f0d5a9", walletAddress: claim.walletAddress, username: "ann", modelId: "z_image_turbo_bf16", network: "fast",
			status: "wrong", atFault: claim.walletAddress, reason: "sues-gpu and bobs-gpu have made the same, wils-gpu something else.", createdAt: "2026-11-03T09:00:00Z", decidedAt: "2026-11-03T09:01:00Z",
			renders: [{ walletAddress: claim.walletAddress, username: "wil", worker: "wils-gpu" }, { walletAddress: "0x42c19f085c8e21d7f6043f1c2a9e7b644d0e9a53", username: "sue", worker: "sues-gpu" }] }] }),
		"POST /v1/operator/claims/c1": (body) => (state.decided = body, { claim }),
	};
	window.decided = () => state.decided;
	window.fetch = async (input, init) => {
		const url = new URL(typeof input === "string" ? input : input.url ?? input, location.href);
		const answer = answers[(init?.method ?? "GET") + " " + url.pathname];
		if (!answer) return real(input, init);
		return new Response(JSON.stringify({ status: "success", data: answer(init?.body && JSON.parse(init.body)) }), { headers: { "Content-Type": "application/json" } });
	};
})()`

// The owner of workers claims on the page of usage; a claim that is odd waits, and an operator
// sees who asked for the renders and how long they took, and decides.
func TestClaims(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(claimsOfService)
	p.signIn(s.Key)
	p.open("/usage")
	p.seeText("Worker earnings")
	p.click("button", "Claim")
	p.seeText("The claim waits for an operator.")
	p.seeText("an operator looks at it")
	p.checkAccess("a claim that waits")
	p.open("/operator/claims")
	p.seeText("asked for 99 % of it")
	p.see("link", "ann")
	p.seeText("1.90 s")
	p.seeText("Spot checks: 3 compared, 1 wrong")
	p.checkAccess("claims")
	p.open("/operator/spot-checks")
	p.seeText("wils-gpu (wil), sues-gpu (sue)")
	p.seeText("one differs")
	p.checkAccess("spot checks")
	p.open("/operator/claims")
	p.click("button", "Refuse")
	p.fill("Reason", "renders in 20 ms")
	p.checkAccess("refusing a claim")
	p.click("button", "Refuse")
	p.seeText("No claim waits")
	if got := evaluate[string](p, `JSON.stringify(decided())`); got != `{"decision":"refuse","reason":"renders in 20 ms"}` {
		t.Errorf("decided %s", got)
	}
}
