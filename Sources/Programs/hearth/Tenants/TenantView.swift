import HearthProgram
import HearthTree

/// A tenant of the identity interface, formatted for readers.
struct TenantView {
  let json: JSON

  /// The last part of the tenant's name.
  var id: String { json["name"]?.string?.split(separator: "/").last.map(String.init) ?? "" }

  static let columns = ["ID", "NAME", "SIGNS IN WITH", "REMARKS"]

  var cells: [String] {
    [id, json["displayName"]?.string ?? "", signInMethods, json["disableAuth"]?.bool == true ? "disabled" : ""]
  }

  /// The enabled sign-in methods beside custom tokens and other providers, which every tenant has.
  private var signInMethods: String {
    let signInMethods = [
      ("allowPasswordSignup", "password"), ("enableEmailLinkSignin", "emailLink"), ("enableAnonymousUser", "anonymous"),
    ]
    return signInMethods.filter { json[$0.0]?.bool == true }.map(\.1).joined(separator: ",")
  }

  /// The properties, one a line.
  var description: String {
    var table = TextTable()
    table.add(["id", id])
    for member in json.members ?? [] where member.name != "name" {
      table.add([member.name, member.value.string ?? String(decoding: member.value.text(), as: UTF8.self)])
    }
    return table.text
  }
}

extension Administration {
  /// Performs an operation on a tenant, by the end of its path; the empty one creates a tenant.
  func tenant(_ end: String, method: String = "POST", _ body: JSON? = nil) async throws -> JSON {
    try await send(
      AdminRequest(
        method: method, path: "/identitytoolkit.googleapis.com/v2/projects/\(projectID)/tenants\(end)",
        body: body))
  }

  /// Returns a page of tenants, in order of their ids.
  func tenants(after token: String?) async throws -> (tenants: [TenantView], next: String?) {
    var request = AdminRequest(
      method: "GET", path: "/identitytoolkit.googleapis.com/v2/projects/\(projectID)/tenants",
      query: [("pageSize", "1000")])
    if let token { request.query.append(("pageToken", token)) }
    let answer = try await channel.send(request)
    let next = answer["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    return ((answer["tenants"]?.array ?? []).map(TenantView.init), next)
  }
}
