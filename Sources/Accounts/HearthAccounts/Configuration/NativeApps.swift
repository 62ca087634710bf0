import HearthTree

/// The apps on devices that the sign-in pages lead back to. No others: a page that opened whatever app a link names would
/// hand codes to strangers.
public struct NativeApps: Sendable, Equatable {
  /// An app for iOS and its relatives.
  public struct IOSApp: Sendable, Equatable {
    /// `com.example.shop`
    public var bundleID: String
    /// What Firebase calls it: `1:1234567890:ios:abcdef`.
    public var appIDs: [String] = []
    /// Its OAuth client ids at Google, whose reversed form it may have registered as a URL scheme.
    public var clientIDs: [String] = []

    /// An app without a scheme other than its own id.
    public init(bundleID: String) { self.bundleID = bundleID }
  }

  /// An app for Android.
  public struct AndroidApp: Sendable, Equatable {
    /// `com.example.shop`
    public var packageName: String
    /// SHA-1 of the certificates that it is signed with, in lower-case hexadecimal; empty looks at none.
    public var certificates: [String] = []

    /// An app, whatever it is signed with.
    public init(packageName: String) { self.packageName = packageName }
  }

  /// Those for iOS.
  public var ios: [IOSApp] = []
  /// Those for Android.
  public var android: [AndroidApp] = []

  /// None.
  public init() {}

  /// The reason why an app is not one of them.
  package enum Refusal: Error, Sendable, Equatable {
    /// Its bundle id, package name or Firebase id is not among them.
    case unknownApp
    /// Its client id is not.
    case unknownClient
    /// It is signed with another certificate.
    case unknownCertificate
  }

  /// Looks an iOS app up by what it says of itself; what it does not say is not looked at.
  package func check(bundleID: String, appID: String?, clientID: String?) throws(Refusal) {
    guard let app = ios.first(where: { $0.bundleID.isSameText(as: bundleID) }) else { throw .unknownApp }
    if let appID { guard app.appIDs.contains(where: { $0.isSameText(as: appID) }) else { throw .unknownApp } }
    if let clientID {
      guard app.clientIDs.contains(where: { $0.isSameText(as: clientID) }) else { throw .unknownClient }
    }
  }

  /// Looks an Android app up.
  ///
  /// - Parameter certificate: as it says; nil when it does not, which an app with certificates in the settings must.
  package func check(packageName: String, certificate: String?) throws(Refusal) {
    guard let app = android.first(where: { $0.packageName.isSameText(as: packageName) }) else { throw .unknownApp }
    guard !app.certificates.isEmpty else { return }
    guard let shown = certificate.flatMap(Self.certificate), app.certificates.contains(shown) else {
      throw .unknownCertificate
    }
  }

  // MARK: Forms

  /// A certificate's SHA-1 as it is kept: 40 digits, however `keytool` and SDKs write it. Nil for what is none.
  package static func certificate(_ text: String) -> String? {
    let digits = text.lowercased().filter { $0 != ":" }
    return digits.utf8.count == 40 && digits.utf8.allSatisfy(isHexadecimal) ? digits : nil
  }

  /// Whether a text can be a bundle id, a package name or the like: names with points between them, each of letters,
  /// digits, `-` and `_`. There are two at least, so that it is no scheme that a browser knows, and the first begins with
  /// a letter.
  package static func isIdentifier(_ text: String) -> Bool {
    let names = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard names.count >= 2, text.utf8.count <= 255, let first = text.utf8.first, isLetter(first) else { return false }
    return names.allSatisfy { !$0.isEmpty && $0.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: "_") } }
  }

  /// The scheme that an app registers for its client id: its names in reverse, `com.googleusercontent.apps.123-abc`. Nil
  /// for what is no such id.
  package static func scheme(clientID: String) -> String? {
    let reversed = clientID.split(separator: ".", omittingEmptySubsequences: false).reversed().joined(separator: ".")
    return isIdentifier(reversed) && !reversed.contains("_") ? reversed : nil
  }

  /// The scheme that an app registers for its Firebase id, `app-1-1234567890-ios-abcdef`. Nil for what is no such id.
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
