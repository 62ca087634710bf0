import { Component, h } from "preact";
import { Json } from "../tree/node";
import { parsePath, problemOfKey } from "../tree/keys";
import { authVariable } from "../api/identity";
import { PathField } from "../data/pathField";
import { PersonField } from "../people/personField";
import { App } from "../shell/app";
import { displayText } from "../format/text";
import { Icon } from "../widgets/icon";
import { Button } from "../widgets/button";
import { SegmentedControl } from "../widgets/segmentedControl";
import { TextField } from "../widgets/textField";
import { Decision, RulesRequest } from "../why/explanation";
import { ExplanationPanel } from "../why/explanationPanel";
import { RulesController } from "./controller";
import { parseQuery, queryText } from "./query";

type Operation = "read" | "write" | "update" | "delete";

interface State {
  operation: Operation;
  path: string;
  value: string;
  query: string;
  who: "signedOut" | "user" | "token" | "administrator";
  uid: string;
  token: string;
  claims: string;
  by: "force" | "edit" | "version";
  version: string;
  problems: { [field: string]: string };
  decision: Decision | null;
  asked: RulesRequest | null;
  isBusy: boolean;
}

/** The form that evaluates any request as any identity, without executing it. */
export class TryTab extends Component<{ app: App; rules: RulesController; from: RulesRequest | null; onLine: (line: number) => void }, State> {
  override state: State = { operation: "read", path: "/", value: "null", query: "", who: "signedOut", uid: "", token: "", claims: "{}", by: "force", version: "",
    problems: {}, decision: null, asked: null, isBusy: false, ...fieldsOf(this.props.from), };

  private readForm(): RulesRequest | null {
    const { operation, path, value, query, who, uid, token, claims } = this.state;
    const problems: { [field: string]: string } = {};
    const wrong = parsePath(path).map(problemOfKey).find(each => each !== null);
    if (wrong) problems.path = wrong;
    const asked: RulesRequest = { [operation]: "/" + parsePath(path).join("/") };
    if (operation === "write" || operation === "update") {
      try {
        asked.value = JSON.parse(value) as Json;
      } catch (error) {
        problems.value = "This is no JSON: " + (error as Error).message;
      }
    }
    if (operation === "read") {
      const found = parseQuery(query);
      if ("problem" in found) problems.query = found.problem;
      else if (found.query !== null) asked.query = found.query;
    }
    asked.auth = null;
    if (who === "user") {
      if (!uid) problems.uid = "Type a uid.";
      try {
        asked.auth = authVariable({ uid, claims });
      } catch (error) {
        problems.claims = "This is no JSON: " + (error as Error).message;
      }
    }
    if (who === "token" && !token.trim()) problems.token = "Paste a token.";
    this.setState({ problems });
    return Object.keys(problems).length ? null : asked;
  }

  private async decide(): Promise<void> {
    const asked = this.readForm();
    if (!asked) return;
    const { rules } = this.props;
    this.setState({ isBusy: true });
    const { by, version, who, token } = this.state;
    const decision = await rules.decide(asked, { ...(by === "edit" ? { rules: rules.text } : by === "version" ? { version: Number(version) } : {}),
      ...(who === "administrator" ? { administrator: true } : who === "token" ? { token: token.trim() } : {}) });
    this.setState({ decision, asked: decision.auth === undefined ? asked : { ...asked, auth: decision.auth }, isBusy: false });
  }

  render() {
    const { app, rules, onLine } = this.props;
    const { operation, path, value, query, who, uid, token, claims, by, version, problems, decision, asked, isBusy } = this.state;
    const set = (change: Partial<State>) => this.setState({ ...change, decision: null } as State);
    return <div class="try">
      <form class="try-form" onSubmit={event => {
        event.preventDefault();
        void this.decide();
      }}>
        <div class="labelled"><span>Operation</span><SegmentedControl name="Operation" value={operation} onChoose={(next: Operation) => set({ operation: next })}
          options={[{ value: "read", label: "Read" }, { value: "write", label: "Write" }, { value: "update", label: "Update" },
            { value: "delete", label: "Delete" }]} /></div>
        <PathField api={app.session.api} database={app.data.database} value={path} problem={problems.path} onType={next => set({ path: next })} />
        {operation === "write" || operation === "update" ? <TextField label="Value, in JSON" rows={4} value={value} problem={problems.value}
          onChange={next => set({ value: next })} /> : null}
        {operation === "read" ? <TextField label="Query, in JSON" value={query} problem={problems.query} placeholder='{"orderByKey": true, "limitToFirst": 10}'
          onChange={next => set({ query: next })} /> : null}
        <div class="labelled"><span>Client</span><SegmentedControl name="Client" value={who} onChoose={(next: State["who"]) => set({ who: next })}
          options={[{ value: "signedOut", label: "Signed out" }, { value: "user", label: "User" }, { value: "token", label: "Token" },
            { value: "administrator", label: "Administrator" }]} /></div>
        {who === "user" ? <PersonField api={app.session.api} label="uid" value={uid} problem={problems.uid} onType={next => set({ uid: next })}
          onChoose={person => set({ uid: person.localId, claims: person.customAttributes || "{}" })} /> : null}
        {who === "user" ? <TextField label="Claims, in JSON" rows={2} value={claims} problem={problems.claims}
          onChange={next => set({ claims: next })} /> : null}
        {who === "token" ? <TextField label="Token" rows={3} value={token} problem={problems.token}
          onChange={next => set({ token: next })} /> : null}
        <div class="labelled"><span>Rules</span><SegmentedControl name="Rules" value={by} onChoose={(next: State["by"]) => set({ by: next, version: version || String(rules.version ?? "") })}
          options={[{ value: "force", label: "In force" }, { value: "edit", label: "Editor's text" },
            ...(rules.versions.length ? [{ value: "version", label: "A version" }] : [])]} /></div>
        {by === "version" ? <label class="labelled"><span>Version</span><select value={version} onChange={event =>
          set({ version: (event.target as HTMLSelectElement).value })}>{rules.versions.map(each => <option value={String(each.id)} selected={String(each.id) === version}>
          {String(each.id)}{each.comment ? `: ${displayText(each.comment, 60)}` : ""}</option>)}</select></label> : null}
        <div><Button label={isBusy ? "Evaluating…" : "Evaluate"} kind="primary" type="submit" isDisabled={isBusy} /></div>
        <p class="note-text">Uses the current data. No values are shown, and nothing is written.</p>
      </form>
      <div class="try-answer" aria-live="polite">
        {decision?.error ? <div class="callout red" role="alert">{decision.error}</div> : null}
        {decision?.explanation ? <ExplanationPanel explanation={decision.explanation} request={asked ?? undefined} onLine={onLine}
          circumstances={by === "version" ? `By version ${version}.` : by === "edit" && rules.isChanged ? "By the text in the editor." : "By the rules in force."} /> : null}
        {decision && !decision.error && !decision.explanation ? <div class="callout green"><Icon name="check" /><span>Administrators bypass the rules.</span></div> : null}
        {decision ? null : <div class="empty"><h2>Try any request</h2><p>The result shows the rule that decides, part by part.</p></div>}
      </div>
    </div>;
  }
}

/** Returns the form's fields for a request that was refused. */
function fieldsOf(from: RulesRequest | null): Partial<State> {
  if (!from) return {};
  const operation = (["read", "write", "update", "delete"] as const).find(name => from[name] !== undefined) ?? "read";
  const auth = from.auth as { uid?: string; token?: Json } | null | undefined;
  return {
    operation, path: from[operation] ?? "/", value: JSON.stringify(from.value ?? null, null, 2), query: queryText(from.query), who: auth ? "user" : "signedOut",
    uid: auth?.uid ?? "", claims: JSON.stringify(auth?.token ?? {}), 
  };
}
