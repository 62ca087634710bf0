import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth cluster drain`.
struct ClusterDrain: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "drain",
    abstract: "Move the databases of a node to other nodes, so that it can be stopped.",
    discussion: """
      Sends the request to the node on the --data folder, or on --server; its name must be NODE. The node then takes \
      no databases until it is restarted. Its clients stay until it stops, and then connect to other nodes. A node \
      does the same when it receives SIGTERM.
      """)

  @Argument(help: ArgumentHelp("The node's name.", valueName: "node"))
  var node: String

  @OptionGroup var admin: AdminOptions

  func run() async throws {
    try await admin.withSettings("cluster") { client in
      let name = try await client.send(.GET, ".json")["name"]?.string ?? ""
      guard name == node else {
        throw AdminFailure(
          "\(client.served.place) is the node \(name): name \(node) with --data or --server"
        )
      }
      let answer = try await client.send(.POST, ".json", ["drain": true])
      client.report(answer) {
        let left = (answer["owns"]?.array ?? []).compactMap(\.string)
        return left.isEmpty
          ? "\(node) owns no databases now: you can stop it"
          : "\(node) still owns \(left.joined(separator: ", ")): no connected node can take them"
      }
    }
  }
}
