// What an address says after #, and the token that came with it. A token stays in this tab; it is taken out of the address at once.

/** What stands after # in the address. */
export const fragment = () => new URLSearchParams(location.hash.slice(1));

/** Change what stands after # without a step in the history; null takes a name away. */
export function setFragment(changes) {
  const now = fragment();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) now.delete(name);
    else now.set(name, value);
  }
  const text = now.toString();
  history.replaceState(history.state, "", location.pathname + location.search + (text ? `#${text}` : ""));
}

const place = (table) => `shuangkou.token.${table}`;

/** The token for a table: the one in the address, else the one this tab was given before, else null. */
export function tokenFor(table) {
  const given = fragment().get("token");
  if (given !== null) {
    keepToken(table, given);
    setFragment({ token: null });
  }
  return sessionStorage.getItem(place(table));
}

/** Keep a token for a table in this tab; null forgets it. */
export function keepToken(table, token) {
  if (token) sessionStorage.setItem(place(table), token.trim());
  else sessionStorage.removeItem(place(table));
}

/** What a token says of its bearer. Only to choose what to show; what is allowed, the service says. */
export function bearer(token) {
  try {
    const text = atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"));
    const claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (sign) => sign.charCodeAt(0))));
    return { role: claims.role ?? "spectator", player: claims.player ?? null, name: claims.sub ?? null, table: claims.table ?? null };
  } catch {
    return { role: "spectator", player: null, name: null, table: null };
  }
}
