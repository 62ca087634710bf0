// Declarations of Apple's framework AuthenticationServices, as far as the client library uses it:
// https://developer.apple.com/documentation/authenticationservices
// They have no content: they exist to check names and types on Linux.
import Foundation

// MARK: Sign-in pages

// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession
@MainActor open class ASWebAuthenticationSession: NSObject {
  public typealias CompletionHandler = (URL?, (any Error)?) -> Void

  public init(url URL: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) { fatalError() }

  public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?

  @discardableResult open func start() -> Bool { fatalError() }
}

// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationpresentationcontextproviding
@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
  func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

/// A window of UIKit or AppKit.
@MainActor open class ASPresentationAnchor: NSObject {
  public override init() {}
}

// MARK: Passkeys

// https://developer.apple.com/documentation/authenticationservices/asauthorizationplatformpublickeycredentialprovider
open class ASAuthorizationPlatformPublicKeyCredentialProvider: NSObject {
  public init(relyingPartyIdentifier: String) { fatalError() }

  open func createCredentialRegistrationRequest(
    challenge: Data, name: String, userID: Data
  ) -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest { fatalError() }

  open func createCredentialAssertionRequest(
    challenge: Data
  ) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest { fatalError() }
}

open class ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest: NSObject {}

open class ASAuthorizationPlatformPublicKeyCredentialAssertionRequest: NSObject {}

// https://developer.apple.com/documentation/authenticationservices/asauthorizationplatformpublickeycredentialregistration
open class ASAuthorizationPlatformPublicKeyCredentialRegistration: NSObject {
  open var credentialID: Data { fatalError() }
  open var rawClientDataJSON: Data { fatalError() }
  open var rawAttestationObject: Data? { fatalError() }
}

// https://developer.apple.com/documentation/authenticationservices/asauthorizationplatformpublickeycredentialassertion
open class ASAuthorizationPlatformPublicKeyCredentialAssertion: NSObject {
  open var credentialID: Data { fatalError() }
  open var rawClientDataJSON: Data { fatalError() }
  open var rawAuthenticatorData: Data! { fatalError() }
  open var signature: Data! { fatalError() }
  open var userID: Data! { fatalError() }
}
