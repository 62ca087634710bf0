import Foundation
import HearthBytes
import HearthTree

/// A visit of the user's browser to a sign-in page of the server, which returns to this program with a result.
struct WebContext: Sendable {
  /// The purpose of a visit. The texts are those of Firebase's SDKs.
  enum Purpose: String {
    case signIn = "signInWithRedirect"
    case reauthentication = "reauthWithRedirect"
    case captcha = "verifyApp"
  }

  /// The maximum size of the address with which the browser returns.
  static let returnBytesMax = 64 * 1024

  let auth: Auth
  let purpose: Purpose
  /// A random text that the return must repeat, so that no other page can return in its place.
  private let eventID = Self.randomText()

  init(_ auth: Auth, _ purpose: Purpose) {
    self.auth = auth
    self.purpose = purpose
  }

  /// Returns 128 random bits in hexadecimal digits.
  static func randomText() -> String {
    var generator = SystemRandomNumberGenerator()
    return Hexadecimal.text(generator.next()) + Hexadecimal.text(generator.next())
  }

  /// Opens the page and waits for the return; returns its parameters.
  ///
  /// - Parameters:
  ///   - parameters: The page's parameters apart from those of every visit.
  ///   - uiDelegate: The opener of the page; nil for the system's own.
  /// - Throws: ``AuthErrorCode/webContextCancelled`` when the user cancels or the time is over.
  func present(
    _ parameters: [(name: String, value: String)], _ uiDelegate: (any AuthUIDelegate)?
  ) async throws -> [String: String] {
    let page = try page
    let common: [(name: String, value: String)] = [
      ("apiKey", auth.service.key), ("authType", purpose.rawValue), ("eventId", eventID), ("v", "Swift/Hearth"),
    ]
    let tenant = auth.tenantID.map { [(name: "tid", value: $0)] } ?? []
    let result = try await open(uiDelegate) { app in
      guard let url = URL(string: page + "?" + FormEncoding.encode(common + tenant + parameters + app)) else {
        throw AuthErrorCode.internalError.error("\(page) is no address of a page. Check customAuthDomain.")
      }
      return url
    }
    if let error = result["firebaseError"] { throw Self.error(error) }
    return result
  }

  private var page: String {
    get throws {
      let path = "/__/auth/handler"
      if let domain = auth.customAuthDomain { return "https://" + domain + path }
      let base = auth.service.endpoint.base?.absoluteString
      if let base { return (base.hasSuffix("/") ? String(base.dropLast()) : base) + path }
      guard let project = auth.app.options.projectID else {
        throw AuthErrorCode.internalError.error("The host of the sign-in pages is unknown: set customAuthDomain.")
      }
      return "https://\(project).firebaseapp.com" + path
    }
  }

  /// Returns the parameters of a return; nil for an address that does not belong to this visit.
  ///
  /// - Parameter address: The address that opens the app, or that a browser requests from it, with an address of the
  ///   server in it.
  func result(of address: String) -> [String: String]? {
    guard let link = URLComponents(string: address)?.queryItems?.first(where: { $0.name == "deep_link_id" })?.value,
      link.utf8.count <= Self.returnBytesMax, let parts = URLComponents(string: link),
      parts.path == "/__/auth/callback", let items = parts.queryItems
    else { return nil }
    let values = Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
    guard values["eventId"] == eventID, values["authType"] == purpose.rawValue else { return nil }
    return values
  }

  /// Returns the error that a page reports, `{"code":"auth/user-cancelled","message":"…"}`.
  private static func error(_ text: String) -> NSError {
    let json = JSON(parsing: text.utf8)
    let code: AuthErrorCode =
      switch json?["code"]?.string {
      case "auth/user-cancelled": .webContextCancelled
      case "auth/network-request-failed": .webNetworkRequestFailed
      case "auth/operation-not-allowed": .operationNotAllowed
      case "auth/internal-error": .webInternalError
      default: .webSignInUserInteractionFailure
      }
    return code.error(AuthErrorCode.printable((json?["message"]?.string ?? "")[...]))
  }
}
