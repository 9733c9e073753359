// Small helpers to make elements. Whatever comes from outside becomes text, never markup.

/** An element. `attributes`: class, data-…, aria-… and the like; null and false are left away. Children: nodes, texts, null. */
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/** Chinese and English side by side. */
export function both(zh, en) {
  return el("span", { class: "both" }, el("span", { lang: "zh-Hans" }, zh), " ", el("span", { class: "en", lang: "en" }, en));
}

/** Replace what an element holds. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
}

/** Replace what an element holds only if `key` differs from last time, so that nothing flickers or loses its place. */
export function fillOnce(node, key, make) {
  const text = JSON.stringify(key);
  if (node.dataset.key === text) return false;
  node.dataset.key = text;
  fill(node, make());
  return true;
}

/** A number of points as people write it: +4, −4, 0. */
export function signed(number) {
  return number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "0";
}

/** Say how the connection is. */
export function showState(state, zh, en) {
  const node = document.getElementById("state");
  if (node.dataset.state === state && node.dataset.said === zh) return;
  node.dataset.state = state;
  node.dataset.said = zh;
  fill(node, both(zh, en));
}

/** A decimal as text with its sign, to the last digit: the numbers of coins are never floating point. */
export const exact = (text) => (text.startsWith("-") ? `−${text.slice(1)}` : /[1-9]/.test(text) ? `+${text}` : text);
