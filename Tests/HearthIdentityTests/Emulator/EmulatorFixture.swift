import HearthTestKit
import HearthTree

@testable import HearthAccounts
@testable import HearthIdentity

extension IdentityFixture {
  /// Returns an emulator as test suites use it, without further settings.
  static func emulator(
    hasMailer: Bool = false, configure: (inout AccountsConfiguration) -> Void = { _ in }
  ) throws -> IdentityFixture {
    try IdentityFixture(hasMailer: hasMailer) { configuration in
      configuration.isEmulator = true
      configuration.protectsFromEnumeration = false
      configure(&configuration)
    }
  }

  /// Sends a local program's request with the emulator's administrator credential.
  func owner(_ path: String, _ body: JSON = .object([]), method: String = "POST") async throws -> Answer {
    try await post(
      path, body, method: method, apiKey: nil, authority: .administrator("emulator-owner"), address: "127.0.0.1",
      isFromLoopback: true)
  }

  /// Sends a test suite's request to the emulator's own interface.
  func emulated(_ method: String, _ path: String, _ body: JSON = .object([])) async throws -> Answer {
    try await post(
      "/emulator/v1/projects/" + path, body, method: method, apiKey: nil, address: "127.0.0.1", isFromLoopback: true)
  }

  /// Sends a request of an app on this machine.
  func app(_ path: String, _ body: JSON) async throws -> Answer {
    try await post(path, body, address: "127.0.0.1", isFromLoopback: true)
  }

  func signInWith(_ providerID: String, _ idToken: String, _ members: JSON = [:]) async throws -> Answer {
    try await app("accounts:signInWithIdp", Self.credential("id_token", idToken, providerID, members))
  }

  static func credential(_ name: String, _ value: String, _ providerID: String, _ members: JSON = [:]) -> JSON {
    .object(
      [
        .init("requestUri", "http://localhost"), .init("returnSecureToken", true),
        .init("postBody", .string("\(name)=\(PercentEncoding.encode(value))&providerId=\(providerID)")),
      ] + (members.members ?? []))
  }
}
