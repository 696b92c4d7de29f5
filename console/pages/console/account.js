// The signed-in account: name, balance and plan.

import { h, chip } from "./dom.js";
import { copyButton } from "./copy.js";
import { amount, day, words } from "./format.js";

/** The name and wallet, from /v2/account/me. */
export function person(me) {
  return [
    h("p", { class: "eyebrow" }, "Signed in as"),
    h("h1", null, me.username || "Unnamed account"),
    h("p", { class: "wallet" },
      h("code", { title: "Wallet address" }, me.walletAddress),
      copyButton(() => me.walletAddress)),
    me.currentEmail && h("p", { class: "muted" }, me.currentEmail, " ",
      me.emailVerified ? chip("verified", "good") : chip("not verified", "warn")),
  ];
}

/** The purses, from /v4/account/balance: the net balance first, then its parts. */
export function balance({ spark, svc, USD }) {
  const earned = Number(USD?.subscriptionUnclaimed ?? 0);
  return [
    h("div", { class: "purses" },
      purse("Spark", spark.net, "to spend on generation"),
      purse("Premium", spark.premiumCredit, "part of Spark, also pays for vendor models"),
      purse("SVC", svc.net, "the other token that pays")),
    h("dl", { class: "facts" },
      fact("Spark granted", amount(spark.credit)),
      fact("Spark spent or held", amount(spark.debit)),
      Number(svc.debit) > 0 && fact("SVC spent or held", amount(svc.debit)),
      earned > 0 && fact("Earned, unclaimed", `$${amount(USD.subscriptionUnclaimed)}`)),
  ];
}

function purse(name, value, about) {
  return h("div", { class: "purse" },
    h("span", { class: "eyebrow" }, name),
    h("span", { class: "figure", title: value }, amount(value)),
    h("span", { class: "small muted" }, about));
}

const tones = { active: "good", trialing: "good", cancel_at_period_end: "warn", grace_period: "warn", past_due: "bad" };

const tiers = { unlimited: "Unlimited", unlimited_pro: "Unlimited Pro" };

const capabilities = {
  unlimited: "Unlimited generation",
  unlimitedPro: "Unlimited Pro",
  personalLoras: "Personal LoRAs",
  savedAssets: "Saved assets",
};

/** The plan, from /v1/subscriptions/status. */
export function plan({ subscription }) {
  const { active, status, tier, term, currentPeriodEnd, cancelAtPeriodEnd } = subscription;
  if (!tier) {
    return [
      h("p", { class: "lead" }, "No plan ", chip(words(status))),
      h("p", { class: "small muted" }, "Generation is paid from the balance."),
    ];
  }
  const can = Object.entries(subscription.capabilities ?? {}).filter(([, has]) => has);
  return [
    h("p", { class: "lead" }, tiers[tier] ?? words(tier), " ", chip(words(status), tones[status])),
    h("dl", { class: "facts" },
      term && fact("Billed", words(term)),
      currentPeriodEnd && fact(periodWord(active, cancelAtPeriodEnd), day(currentPeriodEnd))),
    can.length > 0 && h("ul", { class: "ticks" }, can.map(([name]) => h("li", null, capabilities[name] ?? words(name)))),
  ];
}

function periodWord(active, ending) {
  if (!active) return "Ended";
  return ending ? "Ends" : "Current period until";
}

function fact(name, value) {
  return h("div", null, h("dt", null, name), h("dd", null, value));
}
