import Foundation

/// The settings of an ``Auth`` object.
public final class AuthSettings: Sendable {
  private let isDisabled = LockedValue(false)

  init() {}

  /// True when no page with a captcha opens for a phone number, for tests with fixed codes.
  public var isAppVerificationDisabledForTesting: Bool {
    get { isDisabled.withLock { $0 } }
    set { isDisabled.withLock { $0 = newValue } }
  }

  /// ``isAppVerificationDisabledForTesting``, under its name in Objective-C.
  public var appVerificationDisabledForTesting: Bool {
    get { isAppVerificationDisabledForTesting }
    set { isAppVerificationDisabledForTesting = newValue }
  }
}

/// The kind of an app's token for push messages.
public enum AuthAPNSTokenType: Int, Sendable {
  /// Derived from the app's provisioning.
  case unknown
  /// A token for development.
  case sandbox
  /// A token for production.
  case prod
}

/// Calls of apps for Firebase's SDK, which verifies an app by a push message or a URL. Hearth's server verifies it by a
/// page with a captcha, which returns to the library without the app's help.
extension Auth {
  /// Ignores the token: the server sends no push messages.
  public func setAPNSToken(_ token: Data, type: AuthAPNSTokenType) {}

  /// Returns false: no push message is the library's.
  public func canHandleNotification(_ userInfo: [AnyHashable: Any]) -> Bool { false }

  /// Returns false: no URL that opens the app is the library's.
  public func canHandle(_ url: URL) -> Bool { false }
}
