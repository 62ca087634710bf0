import HearthAccounts
import HearthTree

/// The emulator's page in the place of a provider's: the tester chooses a user or invents one. For programs of this
/// machine only.
struct EmulatorHandlerPage: Sendable {
  let accounts: Accounts
  let providerID: String
  let target: HandlerPage.Target

  /// The maximum number of listed accounts.
  private static let offeredMax = 50
  /// The maximum number of accounts that are searched for the page's list.
  private static let searchedMax = 2_000

  var page: HTMLPage {
    let known = identities.map(button).joined()
    let offer = known.isEmpty ? "" : "<h2>An existing user</h2>\n\(known)<h2>A new user</h2>\n"
    return HTMLPage(
      title: "Sign in with \(providerID)",
      content: HTMLPage.eventMarkup(message, provider: providerID)
        + """
        <div id="choice">
        <p>This is an emulator: it does not contact \(HTMLText.escaped(providerID)). Choose the user to sign in as.</p>
        \(offer)<form id="new">
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" maxlength="255" autocomplete="off">
        <label class="check"><input name="verified" type="checkbox" checked> The provider has verified the address</label>
        <label for="name">Name</label>
        <input id="name" name="name" maxlength="256" autocomplete="off">
        <details><summary>More</summary>
        <label for="screenName">Screen name</label>
        <input id="screenName" name="screenName" maxlength="256" autocomplete="off">
        <label for="picture">URL of a picture</label>
        <input id="picture" name="picture" type="url" maxlength="2048" autocomplete="off">
        <label for="sub">Id at the provider, random if empty</label>
        <input id="sub" name="sub" maxlength="255" autocomplete="off">
        </details>
        <button type="submit">Sign in</button> <button type="button" id="cancel" class="quiet">Cancel</button>
        </form>
        </div>

        """ + HTMLPage.deliveryMarkup(isWaiting: false),
      script: script)
  }

  private var script: String {
    switch target {
    case .web: HandlerScripts.emulator
    case .native: NativeScripts.emulator
    }
  }

  /// The script expression that is delivered, once a user is chosen.
  private var message: String {
    switch target {
    case .web(let event): return event.text(.open)
    case .native(_, let appLink):
      let (before, callback, after) = appLink.linkParts
      let no = appLink.address(
        errorCode: "auth/user-cancelled", message: "The user cancelled on the page of the provider.")
      let parts = JSON.object([
        .init("before", .string(before)), .init("callback", callback.map { .string($0) } ?? .null),
        .init("after", .string(after)), .init("cancelled", .string(no)),
      ])
      return String(decoding: JSON.object([.init("event", .object([])), .init("way", parts)]).text(), as: UTF8.self)
    }
  }

  private var identities: [ProviderIdentity] {
    var found: [ProviderIdentity] = []
    for user in accounts.store.view.users(limit: Self.searchedMax) {
      found += user.identities.filter { $0.providerID == providerID }
      if found.count >= Self.offeredMax { break }
    }
    return Array(found.prefix(Self.offeredMax))
  }

  private func button(_ identity: ProviderIdentity) -> String {
    var claims = [JSON.Member("sub", .string(identity.rawID))]
    func add(_ name: String, _ text: String?) { text.map { claims.append(JSON.Member(name, .string($0))) } }
    add("email", identity.email)
    claims.append(JSON.Member("email_verified", .bool(true)))
    add("name", identity.displayName)
    add("screen_name", identity.screenName)
    add("picture", identity.photoURL)
    let text = String(decoding: JSON.object(claims).text(), as: UTF8.self)
    let name = identity.displayName ?? identity.email ?? identity.rawID
    let detail = identity.email.map { " <span>\(HTMLText.escaped($0))</span>" } ?? ""
    return "<button type=\"button\" class=\"row\" data-claims=\"\(HTMLText.escaped(text))\">\(HTMLText.escaped(name))"
      + (identity.displayName == nil ? "" : detail) + "</button>\n"
  }
}
