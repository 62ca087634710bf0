import ArgumentParser
import HearthProgram
import HearthTree

/// A location in a database as an argument: `/rooms/lobby`, `/` for the root, `/rooms/lobby/.priority`.
struct DataPath: ExpressibleByArgument, Sendable {
  let location: Location

  static let help = ArgumentHelp("The path, such as /rooms/lobby; / is the whole database.", valueName: "path")

  init(_ location: Location) { self.location = location }

  /// - Parameter argument: The keys between slashes, not percent-encoded.
  init?(argument: String) {
    guard let location = try? Location(wire: argument) else { return nil }
    self.init(location)
  }

  /// The path for messages.
  var text: String { TextTable.printable(location.description) }

  /// The path in a URL.
  var resource: String {
    var parts = location.path.keys.map { PercentEncoding.encode($0.text) }
    if location.isPriority { parts.append(".priority") }
    return "/" + parts.joined(separator: "/") + ".json"
  }

  func appending(_ keys: [String]) -> DataPath {
    DataPath(Location(path: location.path.appending(Path(keys.map { Key($0) }))))
  }

  /// The location of the priority.
  var priority: DataPath { DataPath(Location(path: location.path, isPriority: true)) }
}
