// The list of disputes: those that wait for a ruling first, the nearest date on top.
import { about, ask, commands, enter, marks, OUTCOME, when, words } from "./desk.js";
import { both, el, fill } from "./dom.js";
import { fragment, setFragment } from "./session.js";

const at = (id) => document.getElementById(id);
const tabs = [...at("tabs").children];
let status = fragment().get("show") ?? "open";
if (!tabs.some((tab) => tab.dataset.status === status)) status = "open";

function node(found) {
  return el(
    "li",
    {},
    el(
      "a",
      { href: `/disputes/${encodeURIComponent(found.dispute)}`, class: `case-line${found.overdue ? " late" : ""}` },
      el("span", { class: "line" }, el("span", { class: "about" }, about(found)), el("span", { class: "marks" }, marks(found))),
      el("span", { class: "text" }, el("b", { class: "name" }, found.player), ": ", found.claim),
      el(
        "span",
        { class: "line soft" },
        found.outcome === null ? el("span", {}, both("期限", "to rule by"), " ", when(found.respond_by)) : el("span", {}, both(...OUTCOME[found.outcome])),
        el("span", {}, both("裁决人", "adjudicator"), " ", found.adjudicator ?? "–"),
        el("code", {}, found.dispute),
      ),
    ),
  );
}

async function list(token) {
  for (const tab of tabs) tab.setAttribute("aria-pressed", `${tab.dataset.status === status}`);
  const trouble = at("trouble");
  try {
    const found = await ask(`/disputes?limit=200${status ? `&status=${status}` : ""}`, token);
    trouble.hidden = true;
    fill(at("cases"), found.disputes.map(node));
    at("empty").hidden = found.disputes.length > 0;
  } catch (error) {
    if (error.status === 401) throw error;
    fill(at("cases"));
    fill(trouble, words(error));
    trouble.hidden = false;
    at("empty").hidden = true;
  }
}

function raising(token, me) {
  const form = at("raise");
  at("raise-part").hidden = me.role !== "player";
  if (me.role !== "player") return;
  fill(at("raise-table"), me.table);
  at("raise-replay").href = `/replay/${encodeURIComponent(me.table)}`;
  const given = fragment();
  if (given.has("event")) form.elements.event.value = given.get("event");
  if (given.has("hand")) form.elements.hand.value = given.get("hand");
  const number = (name) => (form.elements[name].value === "" ? null : Number(form.elements[name].value));
  commands(
    form,
    token,
    () => ({ address: "/disputes", body: { table: me.table, hand: number("hand"), event: number("event"), claim: form.elements.claim.value } }),
    (answer) => location.assign(`/disputes/${encodeURIComponent(answer.dispute)}`),
  );
}

enter(async ({ token, me }) => {
  await list(token);
  at("inside").hidden = false;
  raising(token, me);
  for (const tab of tabs) {
    tab.onclick = () => {
      status = tab.dataset.status;
      setFragment({ show: status });
      list(token);
    };
  }
});
