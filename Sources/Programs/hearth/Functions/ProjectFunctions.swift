import HearthProgram
import HearthTree

/// The blocking functions in a project's configuration.
struct ProjectFunctions {
  private static let name = "blockingFunctions"

  /// The members for events with a function.
  var triggers: [JSON.Member]
  /// The members for other providers' tokens that are passed to the functions.
  var forwarded: [JSON.Member]

  private init(_ config: JSON) {
    let functions = config[Self.name]
    triggers = functions?["triggers"]?.members ?? []
    forwarded = functions?["forwardInboundCredentials"]?.members ?? []
  }

  static func read(_ admin: Administration) async throws -> ProjectFunctions {
    ProjectFunctions(try await admin.channel.send(AdminRequest(method: "GET", path: path(admin))))
  }

  /// Sets the functions, and returns the resulting ones.
  func write(_ admin: Administration) async throws -> ProjectFunctions {
    try await Self.change(admin, [JSON.Member(Self.name, json)])
  }

  /// Removes the settings, and returns the resulting functions.
  static func reset(_ admin: Administration) async throws -> ProjectFunctions { try await change(admin, []) }

  private static func change(_ admin: Administration, _ members: [JSON.Member]) async throws -> ProjectFunctions {
    let answer = try await admin.channel.send(
      AdminRequest(method: "PATCH", path: path(admin), query: [("updateMask", name)], body: .object(members)))
    return ProjectFunctions(answer)
  }

  private static func path(_ admin: Administration) -> String {
    "/identitytoolkit.googleapis.com/v2/projects/\(admin.projectID)/config"
  }

  var json: JSON {
    ["triggers": .object(triggers), "forwardInboundCredentials": .object(forwarded)]
  }

  /// The configuration for readers.
  var text: String {
    guard !triggers.isEmpty else { return "no blocking functions; set one with: hearth functions set" }
    var table = TextTable(head: ["EVENT", "URL", "SIGNING", "UNREACHABLE"])
    for trigger in triggers {
      table.add([
        trigger.name, trigger.value["functionUri"]?.string ?? "", trigger.value["signing"]?.string ?? "default",
        trigger.value["onUnreachable"]?.string ?? "deny",
      ])
    }
    guard !forwarded.isEmpty else { return table.text }
    return table.text + "\nforwarded tokens: " + forwarded.map(\.name).joined(separator: ", ")
  }
}
