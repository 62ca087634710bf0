import Foundation
import HearthTree

/// The operation that the code of a mailed link performs.
public enum ActionCodeOperation: Int, Sendable {
  /// An operation that this library does not know.
  case unknown = 0
  /// Setting a new password.
  case passwordReset = 1
  /// Verifying an e-mail address.
  case verifyEmail = 2
  /// Reverting a change of the e-mail address.
  case recoverEmail = 3
  /// Signing in.
  case emailLink = 4
  /// Verifying a new address and changing to it.
  case verifyAndChangeEmail = 5
  /// Removing a second factor that was added.
  case revertSecondFactorAddition = 6

  init(requestType: String) {
    self =
      switch requestType {
      case "PASSWORD_RESET": .passwordReset
      case "VERIFY_EMAIL": .verifyEmail
      case "RECOVER_EMAIL": .recoverEmail
      case "EMAIL_SIGNIN": .emailLink
      case "VERIFY_AND_CHANGE_EMAIL": .verifyAndChangeEmail
      case "REVERT_SECOND_FACTOR_ADDITION": .revertSecondFactorAddition
      default: .unknown
      }
  }

  /// - Parameter mode: The operation in a link.
  init(mode: String) {
    self =
      switch mode {
      case "resetPassword": .passwordReset
      case "verifyEmail": .verifyEmail
      case "recoverEmail": .recoverEmail
      case "signIn": .emailLink
      case "verifyAndChangeEmail": .verifyAndChangeEmail
      case "revertSecondFactorAddition": .revertSecondFactorAddition
      default: .unknown
      }
  }
}

/// The operation and the addresses of an action code.
public struct ActionCodeInfo: Sendable, Equatable {
  /// The operation of the code.
  public let operation: ActionCodeOperation
  /// The address that the code was mailed to; for a change of the address, the new one.
  public let email: String
  /// The address before the change; nil for other operations.
  public let previousEmail: String?
}

/// The settings of a mailed link, such as its continue URL.
public final class ActionCodeSettings: Sendable {
  private struct Values: Sendable {
    var url: URL?
    var handleCodeInApp = false
    var iOSBundleID: String?
    var androidPackageName: String?
    var androidMinimumVersion: String?
    var androidInstallIfNotAvailable = false
    var linkDomain: String?
  }

  private let values = LockedValue(Values())

  /// Creates empty settings.
  public init() {}

  /// The continue URL of the page. Its domain must be one of the project's authorized domains.
  public var url: URL? {
    get { values.withLock { $0.url } }
    set { values.withLock { $0.url = newValue } }
  }

  /// True when the app itself opens the link.
  public var handleCodeInApp: Bool {
    get { values.withLock { $0.handleCodeInApp } }
    set { values.withLock { $0.handleCodeInApp = newValue } }
  }

  /// The app that opens the link on Apple systems.
  public var iOSBundleID: String? {
    get { values.withLock { $0.iOSBundleID } }
    set { values.withLock { $0.iOSBundleID = newValue } }
  }

  /// Sets ``iOSBundleID``, under its name in code for older SDKs.
  public func setIOSBundleID(_ iOSBundleID: String) { self.iOSBundleID = iOSBundleID }

  /// The domain of the link.
  public var linkDomain: String? {
    get { values.withLock { $0.linkDomain } }
    set { values.withLock { $0.linkDomain = newValue } }
  }

  /// The app that opens the link on Android.
  public var androidPackageName: String? { values.withLock { $0.androidPackageName } }
  /// The oldest version of the Android app that opens the link.
  public var androidMinimumVersion: String? { values.withLock { $0.androidMinimumVersion } }
  /// True when the Android app is installed if it is missing.
  public var androidInstallIfNotAvailable: Bool { values.withLock { $0.androidInstallIfNotAvailable } }

  /// Sets the app that opens the link on Android.
  public func setAndroidPackageName(
    _ androidPackageName: String, installIfNotAvailable: Bool, minimumVersion: String?
  ) {
    values.withLock {
      $0.androidPackageName = androidPackageName
      $0.androidInstallIfNotAvailable = installIfNotAvailable
      $0.androidMinimumVersion = minimumVersion
    }
  }

  var fields: [(String, JSON?)] {
    let set = values.withLock { $0 }
    return [
      ("continueUrl", set.url.map { .string($0.absoluteString) }), ("canHandleCodeInApp", .bool(set.handleCodeInApp)),
      ("iOSBundleId", set.iOSBundleID.map { .string($0) }),
      ("androidPackageName", set.androidPackageName.map { .string($0) }),
      ("androidMinimumVersion", set.androidMinimumVersion.map { .string($0) }),
      ("androidInstallApp", set.androidPackageName.map { _ in .bool(set.androidInstallIfNotAvailable) }),
      ("linkDomain", set.linkDomain.map { .string($0) }),
    ]
  }
}
