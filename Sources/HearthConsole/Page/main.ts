import "./main.css";

const tokenName = "hearth-console";

async function ask(method: string, path: string, body?: unknown): Promise<Response> {
  const headers: Record<string, string> = { "X-Hearth-Console": localStorage.getItem(tokenName) ?? "" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  return fetch("api/" + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
}

async function signIn(): Promise<void> {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (key === null) return;
  history.replaceState(null, "", location.pathname);
  const answer = await ask("POST", "session", { key });
  if (answer.ok) localStorage.setItem(tokenName, (await answer.json()).token);
}

async function show(): Promise<void> {
  await signIn();
  const text = document.createElement("pre");
  text.textContent = await (await ask("GET", "session?peek=1")).text();
  document.getElementById("page")?.append(text);
}

void show();
