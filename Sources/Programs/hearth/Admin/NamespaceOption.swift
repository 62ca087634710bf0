import ArgumentParser
import HearthWire

/// The option for the database of a server.
struct NamespaceOption: ParsableArguments {
  @Option(help: ArgumentHelp("The database. If not given, the server's default database.", valueName: "name"))
  var ns: String?

  func validate() throws {
    if let ns, !Namespace.isValid(ns.lowercased()) {
      throw ValidationError("--ns must be a database's name: \(Namespace.form).")
    }
  }

  /// Returns the database's name on a server; nil lets the server choose.
  func name(on served: ServedDatabases) -> String? { ns?.lowercased() ?? served.defaultNamespace }
}
