import { Component, h } from "preact";
import { Button } from "../widgets/button";
import { Icon, Logo } from "../widgets/icon";
import { errorText, Session } from "../state/session";

/** The sign-in page: the ways to sign in, and the problem of the last attempt. */
export class SignIn extends Component<{ session: Session; problem: string | null },
  { token: string; problem: string | null; isBusy: boolean }> {
  override state = { token: "", problem: null, isBusy: false };

  private async signIn(event: Event): Promise<void> {
    event.preventDefault();
    this.setState({ isBusy: true, problem: null });
    try {
      await this.props.session.signIn(this.state.token.trim());
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  render() {
    const { problem } = this.props;
    const own = this.state.problem;
    return <div class="door"><main class="door-box" style={{ background: "none", height: "auto", overflow: "visible", display: "grid" }}>
      <div class="brand"><Logo />Hearth</div>
      <h1>Open the console by a link</h1>
      {problem ? <div class="callout red" role="alert"><Icon name="cross" /><span>{problem}</span></div> : null}
      <p>A server that listens on this machine prints a link when it starts. A link opens one session, within 10
        minutes. To print another, run on the server's machine:</p>
      <div class="shell-line">hearth console --data data</div>
      <details open={own !== null}>
        <summary>Sign in with an account instead</summary>
        <form onSubmit={event => void this.signIn(event)}>
          <p>Accounts with the claim of --console-claim can sign in. Paste the ID token:</p>
          <label class="labelled"><span>ID token</span>
            <span class={own ? "field bad" : "field"}><input class="mono" value={this.state.token} autocomplete="off" spellCheck={false}
              onInput={event => this.setState({ token: (event.target as HTMLInputElement).value })} /></span></label>
          {own ? <span class="problem" role="alert">{own}</span> : null}
          <div><Button label="Sign in" kind="primary" type="submit" isDisabled={!this.state.token.trim() || this.state.isBusy} /></div>
        </form>
      </details>
    </main></div>;
  }
}
