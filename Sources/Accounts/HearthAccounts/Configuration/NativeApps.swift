import HearthTree

/// The native apps that the sign-in pages may return to. Others are refused: a page that opened any app that a link
/// names would hand codes to attackers.
public struct NativeApps: Sendable, Equatable {
  /// An app for iOS or a related system.
  public struct IOSApp: Sendable, Equatable {
    /// The bundle id: `com.example.shop`.
    public var bundleID: String
    /// The Firebase app ids: `1:1234567890:ios:abcdef`.
    public var appIDs: [String] = []
    /// The app's OAuth client ids at Google, whose reversed form it may have registered as a URL scheme.
    public var clientIDs: [String] = []

    /// Creates an app without a scheme other than its own id.
    public init(bundleID: String) { self.bundleID = bundleID }
  }

  /// An app for Android.
  public struct AndroidApp: Sendable, Equatable {
    /// The package name: `com.example.shop`.
    public var packageName: String
    /// The SHA-1 of the certificates that it is signed with, in lower-case hexadecimal; empty for any certificate.
    public var certificates: [String] = []

    /// Creates an app with any signing certificate.
    public init(packageName: String) { self.packageName = packageName }
  }

  /// The iOS apps.
  public var ios: [IOSApp] = []
  /// The Android apps.
  public var android: [AndroidApp] = []

  /// Creates an empty list.
  public init() {}

  /// The reason why an app is not registered.
  package enum Refusal: Error, Sendable, Equatable {
    /// The app's bundle id, package name or Firebase id is not registered.
    case unknownApp
    /// The app's client id is not registered.
    case unknownClient
    /// The app is signed with another certificate.
    case unknownCertificate
  }

  /// Checks that an iOS app is registered, by the ids that it states; absent ones are not checked.
  package func check(bundleID: String, appID: String?, clientID: String?) throws(Refusal) {
    guard let app = ios.first(where: { $0.bundleID.isSameText(as: bundleID) }) else { throw .unknownApp }
    if let appID { guard app.appIDs.contains(where: { $0.isSameText(as: appID) }) else { throw .unknownApp } }
    if let clientID {
      guard app.clientIDs.contains(where: { $0.isSameText(as: clientID) }) else { throw .unknownClient }
    }
  }

  /// Checks that an Android app is registered.
  ///
  /// - Parameter certificate: the stated certificate; nil when absent, which is refused for an app with certificates in
  ///   the settings.
  package func check(packageName: String, certificate: String?) throws(Refusal) {
    guard let app = android.first(where: { $0.packageName.isSameText(as: packageName) }) else { throw .unknownApp }
    guard !app.certificates.isEmpty else { return }
    guard let shown = certificate.flatMap(Self.certificate), app.certificates.contains(shown) else {
      throw .unknownCertificate
    }
  }

  // MARK: Forms

  /// Normalises a certificate's SHA-1 to 40 digits, from the forms of `keytool` and SDKs. Nil for an invalid text.
  package static func certificate(_ text: String) -> String? {
    let digits = text.lowercased().filter { $0 != ":" }
    return digits.utf8.count == 40 && digits.utf8.allSatisfy(isHexadecimal) ? digits : nil
  }

  /// Returns true when the text can be a bundle id, a package name or the like: names separated by points, each of
  /// letters, digits, `-` and `_`. There must be at least two, so that it is no scheme that a browser knows, and the
  /// first begins with a letter.
  package static func isIdentifier(_ text: String) -> Bool {
    let names = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard names.count >= 2, text.utf8.count <= 255, let first = text.utf8.first, isLetter(first) else { return false }
    return names.allSatisfy { !$0.isEmpty && $0.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: "_") } }
  }

  /// The scheme that an app registers for its client id: its names in reverse, `com.googleusercontent.apps.123-abc`.
  /// Nil for an invalid id.
  package static func scheme(clientID: String) -> String? {
    let reversed = clientID.split(separator: ".", omittingEmptySubsequences: false).reversed().joined(separator: ".")
    return isIdentifier(reversed) && !reversed.contains("_") ? reversed : nil
  }

  /// The scheme that an app registers for its Firebase id, `app-1-1234567890-ios-abcdef`. Nil for an invalid id.
  package static func scheme(appID: String) -> String? {
    let parts = appID.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count >= 2, appID.utf8.count <= 255, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isNameByte) })
    else { return nil }
    return "app-" + appID.map { $0 == ":" ? "-" : String($0) }.joined()
  }

  private static func isLetter(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit && byte > UInt8(ascii: "9") }
  private static func isNameByte(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }
}
