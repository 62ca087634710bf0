import Foundation
import HearthBytes
import HearthTree

/// A provider whose credential comes from a sign-in page in the user's browser.
public protocol FederatedAuthProvider: AnyObject, Sendable {
  /// Opens the sign-in page, and returns the user's credential.
  ///
  /// - Parameter uiDelegate: The opener of the page; nil for the system's own.
  func credential(with uiDelegate: (any AuthUIDelegate)?) async throws -> AuthCredential
}

/// An OAuth, OpenID Connect or SAML provider, by the server's sign-in page or by tokens that the app has.
public final class OAuthProvider: FederatedAuthProvider {
  private struct Values: Sendable {
    var scopes: [String]?
    var customParameters: [String: String]?
  }

  /// The provider id `OAuth`.
  public static let id = "OAuth"

  /// The provider, such as `google.com` or `oidc.acme`.
  public let providerID: String
  private let auth: Auth
  private let values = LockedValue(Values())

  /// Creates a provider for sign-ins to an app.
  public init(providerID: String, auth: Auth = .auth()) {
    self.providerID = providerID
    self.auth = auth
  }

  /// Creates a provider for sign-ins to an app.
  public convenience init(providerID: AuthProviderID, auth: Auth = .auth()) {
    self.init(providerID: providerID.rawValue, auth: auth)
  }

  /// Returns a provider for sign-ins to the default app.
  public static func provider(providerID: AuthProviderID) -> OAuthProvider { OAuthProvider(providerID: providerID) }

  /// Returns a provider for sign-ins to an app.
  public static func provider(providerID: AuthProviderID, auth: Auth) -> OAuthProvider {
    OAuthProvider(providerID: providerID, auth: auth)
  }

  /// The scopes to request from the provider; nil for the server's own.
  public var scopes: [String]? {
    get { values.withLock { $0.scopes } }
    set { values.withLock { $0.scopes = newValue } }
  }

  /// Parameters for the provider's page, such as `prompt`.
  public var customParameters: [String: String]? {
    get { values.withLock { $0.customParameters } }
    set { values.withLock { $0.customParameters = newValue } }
  }

  /// Opens the sign-in page of the server for the provider, and returns the user's credential. It is valid once.
  ///
  /// - Parameter uiDelegate: The opener of the page; nil for the system's own, which is standard error on Linux.
  public func credential(with uiDelegate: (any AuthUIDelegate)?) async throws -> AuthCredential {
    try await credential(with: uiDelegate, for: .signIn)
  }

  /// The completion-handler form of ``credential(with:)``.
  public func getCredentialWith(
    _ uiDelegate: (any AuthUIDelegate)?,
    completion: (@isolated(any) (AuthCredential?, (any Error)?) -> Void)? = nil
  ) {
    auth.answer(completion) { try await self.credential(with: uiDelegate) }
  }

  func credential(
    with uiDelegate: (any AuthUIDelegate)?, for purpose: WebContext.Purpose
  ) async throws -> AuthCredential {
    // The server seals the result for the session with this digest, so that no other program that sees it can use it.
    let sessionID = WebContext.randomText()
    var parameters = [(name: "providerId", value: providerID), ("sessionId", SHA256.hexDigest(of: sessionID))]
    if let scopes, !scopes.isEmpty { parameters.append(("scopes", scopes.joined(separator: ","))) }
    if let customParameters, !customParameters.isEmpty {
      let members = customParameters.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) }
      parameters.append(("customParameters", String(decoding: JSON.object(members).text(), as: UTF8.self)))
    }
    let result = try await WebContext(auth, purpose).present(parameters, uiDelegate)
    guard let link = result["link"], !link.isEmpty else { throw AuthErrorCode.webSignInUserInteractionFailure.error() }
    return OAuthCredential(providerID: providerID, page: OAuthCredential.PageResult(url: link, sessionID: sessionID))
  }
}
