import HearthAccounts
import HearthTree

/// The project's configuration, as deployment tools and admin SDKs read and change it. Of its parts, the blocking
/// functions can be changed here; the others are the operator's file.
struct ProjectConfigEndpoints: EndpointArea {
  let accounts: Accounts

  private static let blockingFunctions = "blockingFunctions"

  /// `GET projects/PROJECT/config`
  func get(_ call: IdentityCall) async throws(AccountError) -> JSON {
    _ = try call.requireAdministrator()
    return config
  }

  /// `PATCH projects/PROJECT/config?updateMask=blockingFunctions`: what the mask names is replaced by what the body says;
  /// without it in the body the configuration's own functions are asked again.
  func change(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.requireAdministrator()
    let names =
      call.updateMask.map { $0.split(separator: ",").map(String.init) } ?? call.body.members?.map(\.name) ?? []
    guard !names.isEmpty else { throw AccountError(.invalidArgument, "updateMask names nothing") }
    for name in names where name.prefix(while: { $0 != "." }) != Self.blockingFunctions {
      throw AccountError(.notImplemented, "Only blockingFunctions can be changed here.")
    }
    guard names.allSatisfy({ $0 == Self.blockingFunctions }) else {
      throw AccountError(.invalidArgument, "updateMask names blockingFunctions as a whole")
    }
    let settings = try call.object(Self.blockingFunctions).map { json throws(AccountError) in
      try BlockingFunctionSettings(json: json)
    }
    try await accounts.functions.set(settings, by: administrator)
    return config
  }

  private var config: JSON {
    var reply = ReplyObject()
    reply.set("name", "projects/\(accounts.configuration.projectNumber)/config")
    reply.set(Self.blockingFunctions, accounts.functions.blocking.json)
    return reply.json
  }
}
