import HearthAccounts
import HearthCrypto
import HearthTree

/// Access tokens for back-end programs: RFC 7523, section 2.1. Its errors have a form of their own.
struct AccessTokenEndpoint: EndpointGroup {
  let accounts: Accounts

  private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

  func answer(_ call: IdentityCall) async -> IdentityResponse {
    do throws(AccountError) {
      guard try call.text("grantType") == Self.grantType else {
        return Self.refusal("unsupported_grant_type", "grant_type must be \(Self.grantType).")
      }
      guard let assertion = try call.text("assertion", sizeBytesMax: TokenLimits.tokenBytesMax) else {
        return Self.refusal("invalid_request", "assertion is missing.")
      }
      return Self.response(
        await accounts.administration.accessTokens.token(for: assertion, client: call.client, now: call.now))
    } catch {
      return Self.refusal("invalid_request", "A field is too long, or has the wrong type.")
    }
  }

  private static func response(_ outcome: AccessTokenOutcome) -> IdentityResponse {
    switch outcome {
    case .token(let token):
      IdentityResponse(
        .object([
          JSON.Member("access_token", .string(token)),
          JSON.Member("expires_in", .int(AdminTokens.lifetimeSecondsMax)),
          JSON.Member("token_type", .string("Bearer")),
        ]))
    case .refused(let reason): refusal("invalid_grant", reason)
    case .noKnownScope: refusal("invalid_scope", "The server supports none of the requested scopes.")
    case .unavailable: .tryAgain
    }
  }

  private static func refusal(_ error: String, _ description: String) -> IdentityResponse {
    IdentityResponse(
      .object([JSON.Member("error", .string(error)), JSON.Member("error_description", .string(description))]),
      status: 400)
  }
}
