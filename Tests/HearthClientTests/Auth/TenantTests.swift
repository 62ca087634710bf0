import Foundation
import HearthTree
import LiveServerKit
import Testing

@testable import HearthClient

@Suite struct TenantTests {
  /// Creates a tenant and returns its id.
  private static func tenant(_ fixture: AuthFixture) async throws -> String {
    let url = fixture.route.address + "/identitytoolkit.googleapis.com/v2/projects/hearth/tenants"
    let answer = try await fixture.transport.send(
      AuthRequest(
        url: try #require(URL(string: url)),
        headers: ["Authorization": "Bearer \(try fixture.test.adminToken)", "Content-Type": "application/json"],
        body: Array(#"{"allowPasswordSignup":true}"#.utf8)))
    let text = String(decoding: answer.body, as: UTF8.self)
    let name = try #require(JSON(parsing: answer.body)?["name"]?.string, "\(text)")
    return String(try #require(name.split(separator: "/").last))
  }

  @Test(
    "users of a tenant are separate from those of the project, and their requests name the tenant",
    arguments: NetworkCondition.reliable)
  func separate(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let tenant = try await Self.tenant(fixture)
      fixture.auth.tenantID = tenant
      let user = try await fixture.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
      #expect(user.tenantID == tenant)
      let claims = try await user.getIDTokenResult().claims
      #expect((claims["firebase"] as? [String: Any])?["tenant"] as? String == tenant)
      let project = try fixture.another()
      #expect(
        await authCode { try await project.signIn(withEmail: "ada@example.com", password: "secret1") }
          == .invalidCredential)
      // A user's own requests name the user's tenant, also when the app has left it.
      fixture.auth.tenantID = nil
      try await user.updatePassword(to: "secret2")
      try await user.reload()
      let credential = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret2")
      #expect(try await user.reauthenticate(with: credential).user === user)
      #expect(await authCode { try await project.updateCurrentUser(user) } == .tenantIDMismatch)
      let other = try fixture.another()
      other.tenantID = tenant
      try await other.updateCurrentUser(user)
      #expect(other.currentUser?.uid == user.uid)
      other.tenantID = "none-0"
      #expect(
        await authCode { try await other.signIn(withEmail: "ada@example.com", password: "secret2") } != nil)
    }
  }

  @Test("a stored user's tenant is that of the restarted app, unless the app has set another")
  func stored() async throws {
    try await AuthFixture.with { fixture in
      let tenant = try await Self.tenant(fixture)
      fixture.auth.tenantID = tenant
      try await fixture.auth.createUser(withEmail: "ada@example.com", password: "secret1")
      let restarted = try fixture.another(store: fixture.store)
      #expect(restarted.tenantID == tenant && restarted.currentUser?.tenantID == tenant)
      restarted.tenantID = nil
      #expect(restarted.tenantID == nil)
    }
  }
}
