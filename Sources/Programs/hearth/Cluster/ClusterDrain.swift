import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth cluster drain`.
struct ClusterDrain: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "drain",
    abstract: "Move the databases of a node to other nodes, so that it can be stopped.",
    discussion: """
      Asks the node that runs on the --data folder, or the one that --server names, which must be the one that is named. \
      From then on it takes no database, until it is started again; its clients stay until it stops, and then come back \
      to the others. A node that gets SIGTERM does the same by itself.
      """)

  @Argument(help: ArgumentHelp("The node's name.", valueName: "node"))
  var node: String

  @OptionGroup var admin: AdminOptions

  func run() async throws {
    try await admin.withSettings("cluster") { client in
      let name = try await client.send(.GET, ".json")["name"]?.string ?? ""
      guard name == node else {
        throw AdminFailure(
          "\(client.served.place) is the node \(name): run this with the --data folder of \(node), or name it with --server"
        )
      }
      let answer = try await client.send(.POST, ".json", ["drain": true])
      client.report(answer) {
        let left = (answer["owns"]?.array ?? []).compactMap(\.string)
        return left.isEmpty
          ? "\(node) owns no database any more: it may be stopped"
          : "\(node) still owns \(left.joined(separator: ", ")): no other node is connected that could take them"
      }
    }
  }
}
