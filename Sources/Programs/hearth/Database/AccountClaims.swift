import HearthCrypto
import HearthProgram
import HearthTree

/// The claims for a user's token at a past moment. Tokens are not kept, so these are the account's present claims, with
/// a note about it.
struct AccountClaims {
  /// The claims in the form of the user's token.
  var members: [JSON.Member]
  /// The note for the reader of a decision.
  var note: String

  /// Looks up the account on the server.
  static func of(_ uid: String, _ served: ServedDatabases) async throws -> AccountClaims {
    let channel = ServerChannel(client: served.http)
    let shown = TextTable.printable(uid)
    guard let projectID = try? await channel.projectID() else {
      return unknown(shown, "\(served.place) does not serve accounts")
    }
    let request = AdminRequest.accounts(
      "accounts:lookup", of: projectID, ["localId": [.string(uid)]])
    guard let user = try await channel.send(request)["users"]?.array?.first else {
      return unknown(shown, "there is no such account now")
    }
    var members = user["customAttributes"]?.string.flatMap { JSON(parsing: $0.utf8)?.members } ?? []
    // As in a token, the account's own values replace claims of these names, except for the display name.
    members.removeAll { IDTokenClaims.isTaken($0.name) }
    func set(_ name: String, _ value: JSON) {
      members.removeAll { $0.name == name }
      members.append(.init(name, value))
    }
    if let email = user["email"] {
      set("email", email)
      set("email_verified", .bool(user["emailVerified"]?.bool == true))
    }
    if let name = user["displayName"], !members.contains(where: { $0.name == "name" }) { set("name", name) }
    if let phone = user["phoneNumber"] { set("phone_number", phone) }
    return AccountClaims(
      members: members,
      note:
        "note: the claims of \(shown)'s token at that time are not kept: the rules see the account's present claims, "
        + "without the sign-in method; --claims replaces them")
  }

  private static func unknown(_ uid: String, _ why: String) -> AccountClaims {
    AccountClaims(
      members: [],
      note: "note: the claims of \(uid)'s token at that time are not kept, and \(why): the rules see only the uid; "
        + "--claims replaces them")
  }
}
