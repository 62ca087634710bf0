import HearthAccounts
import HearthTree

/// The return to an app on a device: an address that the device's system opens in it, in the form that its SDK reads.
///
/// A browser returns to a program on its machine by the same address, with the program's port in place of the scheme.
/// An iOS app is opened by its own scheme, with an address of this server in `deep_link_id`, which the SDK only parses.
/// An Android app gets an intent that names its package, so that no other app is given it.
struct NativeAppLink: Sendable, Equatable {
  let app: NativeApp
  let authType: String
  let eventID: String?
  /// The origin of the page.
  let origin: String

  /// The address of this server by which apps recognise the result.
  private var callback: String { origin + "/__/auth/callback" }

  /// Returns the address with a provider's answer, for `signInWithIdp`.
  func link(answer: String) -> String { "\(callback)?\(NativeAnswers.parameter)=\(PercentEncoding.encode(answer))" }

  /// Returns the address that opens the app with a provider's answer.
  func address(link: String) -> String {
    switch app {
    case .ios, .loopback: address(callbackWith: "link", link)
    case .android(_, nil): intent(of: link)
    case .android: intent("genericidp", "S.link", link)
    }
  }

  /// Returns the address that opens the app with a captcha token.
  func address(captchaToken token: String) -> String {
    let (before, callback, after) = captchaParts
    return before + PercentEncoding.encode(callback + "&recaptchaToken=" + PercentEncoding.encode(token)) + after
  }

  /// Returns the parts of an address to which the page's script adds a captcha token: the text before and after the
  /// callback, which gets `&recaptchaToken=` and is encoded.
  var captchaParts: (before: String, callback: String, after: String) {
    switch app {
    case .ios, .loopback: (deepLink, described, "")
    case .android: (intentHead("recaptcha") + "S.link=", described, Self.intentEnd)
    }
  }

  /// Returns the parts of an address to which the emulator's script adds an answer: the text before and after the link.
  ///
  /// - Returns: `callback` is nil where the link is not inside another address.
  var linkParts: (before: String, callback: String?, after: String) {
    switch app {
    case .ios, .loopback: (deepLink, described, "")
    case .android: (intentHead("genericidp") + "S.link=", nil, Self.intentEnd)
    }
  }

  /// Returns the address that opens the app with an error of the SDKs, `auth/user-cancelled`.
  func address(errorCode code: String, message: String) -> String {
    // Cordova apps decode more than once: an escaped separator in the message would end it.
    let plain = message.map { "&=%#?+;".contains($0) ? " " : String($0) }.joined()
    let json = JSON.object([.init("code", .string(code)), .init("message", .string(plain))])
    let error = String(decoding: json.text(), as: UTF8.self)
    return switch app {
    case .ios, .loopback: address(callbackWith: "firebaseError", error)
    case .android(_, nil): intent(of: callback + "?firebaseError=" + PercentEncoding.encode(error))
    case .android: intent(authType == "verifyApp" ? "recaptcha" : "genericidp", "S.firebaseError", error)
    }
  }

  // MARK: iOS, and programs on the browser's machine

  /// The scheme, host and path up to the address in it.
  private var deepLink: String {
    switch app {
    case .ios(_, .clientID(let id)): (NativeApps.scheme(clientID: id) ?? "") + "://firebaseauth/link?deep_link_id="
    case .ios(_, .appID(let id)): (NativeApps.scheme(appID: id) ?? "") + "://firebaseauth/link?deep_link_id="
    case .ios(let bundleID, .bundleID): bundleID + "://google/link?deep_link_id="
    case .loopback(let port): "http://\(NativeApp.loopbackHost):\(port)/?deep_link_id="
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

  /// Returns an intent that opens an address of this server in the named app only.
  private func intent(of url: String) -> String {
    let parts = url.split(separator: "://", maxSplits: 1)
    guard parts.count == 2 else { return "" }
    return "intent://\(parts[1])#Intent;scheme=\(parts[0]);package=\(app.id);end"
  }
}
