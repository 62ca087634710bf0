import HearthAccounts
import HearthTree

/// The way back into an app on a device: an address that its system opens in it, as the SDK in it reads it.
///
/// An iOS app is opened by its own scheme, with an address of this server in `deep_link_id`, which the SDK reads and
/// nobody opens. An Android app gets an intent that names its package, so that no other app is given it.
struct NativeReturn: Sendable, Equatable {
  let app: NativeApp
  let authType: String
  let eventID: String?
  /// The place where the page is.
  let origin: String

  /// The address of this server that apps know what came of it by.
  private var callback: String { origin + "/__/auth/callback" }

  /// Where a provider's answer is, for `signInWithIdp`.
  func link(answer: String) -> String { "\(callback)?\(NativeAnswers.parameter)=\(PercentEncoding.encode(answer))" }

  /// Back with the answer of a provider.
  func address(link: String) -> String {
    switch app {
    case .ios: address(callbackWith: "link", link)
    case .android(_, nil): intent(of: link)
    case .android: intent("genericidp", "S.link", link)
    }
  }

  /// Back with a token of the captcha's widget.
  func address(captchaToken token: String) -> String {
    let (before, callback, after) = captchaParts
    return before + PercentEncoding.encode(callback + "&recaptchaToken=" + PercentEncoding.encode(token)) + after
  }

  /// Back with a token that the page's script has: what stands before and after the address that it adds
  /// `&recaptchaToken=` to and encodes.
  var captchaParts: (before: String, callback: String, after: String) {
    switch app {
    case .ios: (deepLink, described, "")
    case .android: (intentHead("recaptcha") + "S.link=", described, Self.intentEnd)
    }
  }

  /// Back with an answer that the emulator's script makes up: what stands before and after that address.
  ///
  /// - Returns: `callback` is nil where it is not in another address.
  var linkParts: (before: String, callback: String?, after: String) {
    switch app {
    case .ios: (deepLink, described, "")
    case .android: (intentHead("genericidp") + "S.link=", nil, Self.intentEnd)
    }
  }

  /// Back with an error in the SDKs' words, `auth/user-cancelled`.
  func address(errorCode code: String, message: String) -> String {
    // Apps of Cordova decode more than once: a sign of an address in it would end it.
    let plain = message.map { "&=%#?+;".contains($0) ? " " : String($0) }.joined()
    let json = JSON.object([.init("code", .string(code)), .init("message", .string(plain))])
    let error = String(decoding: json.text(), as: UTF8.self)
    return switch app {
    case .ios: address(callbackWith: "firebaseError", error)
    case .android(_, nil): intent(of: callback + "?firebaseError=" + PercentEncoding.encode(error))
    case .android: intent(authType == "verifyApp" ? "recaptcha" : "genericidp", "S.firebaseError", error)
    }
  }

  // MARK: iOS

  /// Up to the address in it.
  private var deepLink: String {
    switch app {
    case .ios(_, .clientID(let id)): (NativeApps.scheme(clientID: id) ?? "") + "://firebaseauth/link?deep_link_id="
    case .ios(_, .appID(let id)): (NativeApps.scheme(appID: id) ?? "") + "://firebaseauth/link?deep_link_id="
    case .ios(let bundleID, .bundleID): bundleID + "://google/link?deep_link_id="
    case .android: ""
    }
  }

  private var described: String {
    let event = eventID.map { "&eventId=" + PercentEncoding.encode($0) } ?? ""
    return callback + "?authType=" + PercentEncoding.encode(authType) + event
  }

  private func address(callbackWith name: String, _ value: String) -> String {
    deepLink + PercentEncoding.encode("\(described)&\(name)=\(PercentEncoding.encode(value))")
  }

  // MARK: Android

  private static let intentEnd = ";B.encryptionEnabled=false;end"

  private func intentHead(_ scheme: String) -> String {
    let event = eventID.map { "S.eventId=\(PercentEncoding.encode($0));" } ?? ""
    let type = "S.authType=\(PercentEncoding.encode(authType));"
    return "intent://firebase.auth/#Intent;scheme=\(scheme);package=\(app.id);\(type)\(event)"
  }

  private func intent(_ scheme: String, _ name: String, _ value: String) -> String {
    "\(intentHead(scheme))\(name)=\(PercentEncoding.encode(value))\(Self.intentEnd)"
  }

  /// An address of this server, opened in the app of that name alone.
  private func intent(of url: String) -> String {
    let parts = url.split(separator: "://", maxSplits: 1)
    guard parts.count == 2 else { return "" }
    return "intent://\(parts[1])#Intent;scheme=\(parts[0]);package=\(app.id);end"
  }
}
