import ArgumentParser
import HearthProgram
import HearthServer
import HearthTree

/// The command `hearth cluster status`.
struct ClusterStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the nodes of a cluster, and the owner of each database.",
    discussion: """
      Asks the node on the --data folder, or on --server. BEHIND counts durable commits that this node has not applied \
      yet. A node is alive while its lease has not expired, by \(JournalEngines.products)'s clock.
      """)

  @OptionGroup var admin: AdminOptions

  func run() async throws {
    try await admin.withSettings("cluster") { client in
      let answer = try await client.send(.GET, ".json")
      client.report(answer) { Self.text(answer) }
    }
  }

  private static func text(_ answer: JSON) -> String {
    var nodes = TextTable(head: ["NODE", "ADDRESS", "LEASE", "CONNECTED"])
    let connected = Set((answer["connected"]?.array ?? []).compactMap(\.string))
    for node in answer["nodes"]?.array ?? [] {
      let name = node["name"]?.string ?? ""
      let isHere = name == answer["name"]?.string
      let lease = Double(node["leaseMilliseconds"]?.int ?? 0) / 1_000
      nodes.add([
        name, node["address"]?.string ?? "",
        node["isAlive"]?.bool == true ? "\((lease * 10).rounded() / 10) s left" : "over",
        isHere ? "this one" : connected.contains(name) ? "yes" : "no",
      ])
    }
    var databases = TextTable(head: ["DATABASE", "OWNER", "EPOCH", "POSITION", "HERE", "BEHIND", "SESSIONS"])
    for database in answer["databases"]?.array ?? [] {
      databases.add([
        database["name"]?.string ?? "", database["owner"]?.string ?? "none",
        "\(database["epoch"]?.int ?? 0)", "\(database["position"]?.int ?? 0)", database["role"]?.string ?? "not open",
        database["behind"]?.int.map { "\($0)" } ?? "", database["sessions"]?.int.map { "\($0)" } ?? "",
      ])
    }
    return nodes.text + "\n" + databases.text
  }
}
