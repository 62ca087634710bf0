import HearthTestKit
import HearthTree

@testable import HearthAccounts
@testable import HearthIdentity

extension IdentityWorld {
  /// As test suites find it: the official emulator's clients send no more than this.
  static func emulator(
    hasMailer: Bool = false, configure: (inout AccountsConfiguration) -> Void = { _ in }
  ) throws -> IdentityWorld {
    try IdentityWorld(hasMailer: hasMailer) { configuration in
      configuration.isEmulator = true
      configuration.protectsFromEnumeration = false
      configure(&configuration)
    }
  }

  /// A program of this machine with the emulator's word for an administrator.
  func owner(_ path: String, _ body: JSON = .object([]), method: String = "POST") async throws -> Answer {
    try await post(
      path, body, method: method, apiKey: nil, authority: .administrator("emulator-owner"), address: "127.0.0.1",
      isFromLoopback: true)
  }

  /// A test suite's look at the emulator.
  func emulated(_ method: String, _ path: String, _ body: JSON = .object([])) async throws -> Answer {
    try await post(
      "/emulator/v1/projects/" + path, body, method: method, apiKey: nil, address: "127.0.0.1", isFromLoopback: true)
  }

  /// An app on this machine.
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
