import ArgumentParser
import HearthTree
import HearthWire

/// The options for the server of a command on databases.
struct DatabasesServer: ParsableArguments {
  @OptionGroup var admin: AdminOptions

  /// Connects, does the work, and exits with 2 on a failure.
  func run(_ work: @Sendable (SettingsClient) async throws -> Void) async throws {
    try await admin.withSettings("databases", work)
  }

  /// Returns the quotas in the form `connections=100 storedBytes=1048576`, or `none`.
  static func text(ofQuotas quotas: JSON?) -> String {
    let parts = (quotas?.members ?? []).map { "\($0.name)=\($0.value.int.map { String($0) } ?? "?")" }
    return parts.isEmpty ? "none" : parts.joined(separator: " ")
  }
}

/// The argument for the database of a command.
struct NamedDatabase: ParsableArguments {
  @Argument(help: ArgumentHelp("The database's name: \(Namespace.form).", valueName: "name"))
  var name: String

  @OptionGroup var server: DatabasesServer

  /// The path of the database below that of all databases.
  var path: String { "/\(name).json" }

  func validate() throws {
    guard Namespace.isValid(name) else {
      throw ValidationError("A database's name must be \(Namespace.form).")
    }
  }
}
