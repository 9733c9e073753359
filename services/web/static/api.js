// Questions to the service and commands to a table. Every refusal becomes a Refused with its words in both languages.

const PATIENCE = 15_000; // ms for one answer

/** A problem that the service answered with (RFC 9457), or that it did not answer. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail ?? `HTTP ${status}`);
    this.status = status;
    this.rule = problem.rule ?? "";
    this.clause = problem.clause ?? "";
    this.version = problem.version ?? null;
    this.zh = problem.detail_zh ?? "请求失败。";
    this.en = problem.detail ?? "The request failed.";
  }
}

/** Header of a token, if there is one. */
export const bearing = (token) => (token ? { Authorization: `Bearer ${token}` } : {});

async function answer(address, options) {
  let response;
  try {
    response = await fetch(address, { ...options, signal: AbortSignal.timeout(PATIENCE) });
  } catch {
    throw new Refused(0, { rule: "no_answer", detail: "The service does not answer; try again in a moment.", detail_zh: "服务没有响应,请稍后再试。" });
  }
  if (response.ok) return response.status === 204 ? null : response.json();
  let problem = {};
  try {
    problem = await response.json();
  } catch {
    // Not a problem in JSON: the status has to do.
  }
  throw new Refused(response.status, problem);
}

/** Ask for something. Throws Refused. */
export const ask = (address, token = null) => answer(address, { headers: bearing(token) });

/** Give a command. `key` makes a repeat safe, `version` refuses it if the table went on meanwhile. Throws Refused. */
export function send(address, token, body, { key, version } = {}) {
  const headers = { ...bearing(token), "Content-Type": "application/json" };
  if (key) headers["Idempotency-Key"] = key;
  if (version !== undefined) headers["If-Match"] = `"${version}"`;
  return answer(address, { method: "POST", headers, body: body === null ? undefined : JSON.stringify(body) });
}
