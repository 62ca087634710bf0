import ArgumentParser
import HearthCrypto
import HearthProgram
import HearthServer
import HearthTree

/// The command `hearth cluster init`.
struct ClusterInit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create the certificates and keys of a cluster's nodes; run it again for later nodes.",
    discussion: """
      FOLDER/NAME is for the node NAME: its certificate and private key, and in keys/ the signing and sealing keys, \
      which are the same on all nodes, so that every node accepts what another one issued. FOLDER/ca contains the \
      certificate authority, with the only copy of its private key. Existing files are not changed: run the command \
      again to add nodes.

      --keys-of copies the keys of an existing single server, so that its users stay signed in. Certificates are valid \
      for 5 years, the authority's for 10; they use ECDSA on P-256.
      """)

  @Argument(help: ArgumentHelp("The folder to create, or to add nodes to.", valueName: "folder"))
  var folder: String

  @Option(
    help: ArgumentHelp(
      "The nodes' names, separated by commas: labels of DNS names, such as a,b,c.", valueName: "names"))
  var nodes: String

  @Option(
    help: ArgumentHelp("A data folder whose keys all nodes use. If not given, new keys are made.", valueName: "dir"))
  var keysOf: String?

  private var names: [String] { nodes.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }

  func validate() throws {
    for name in names {
      guard NodeAuthority.isName(name) else {
        throw ValidationError(
          "\"\(name.printable)\" is not a node name: 1 to 63 of a-z, 0-9 and -, with no - at an end."
        )
      }
      guard name != ClusterFolder.authorityName else {
        throw ValidationError("A node cannot be named \(name): that folder contains the certificate authority.")
      }
    }
    guard Set(names).count == names.count else { throw ValidationError("--nodes names a node twice: \(nodes).") }
  }

  func run() throws {
    let cluster = ClusterFolder(path: folder, nowMilliseconds: WallClock.nowMilliseconds)
    if try cluster.makeAuthority(keysOf: keysOf) {
      Output.line("\(cluster.authorityPath): made. Store it where no server runs: it can create nodes.")
    } else if keysOf != nil {
      throw AdminFailure("\(folder) already has keys, which --keys-of would change: omit it")
    }
    var made = false
    for name in names {
      if try cluster.makeNode(name) {
        made = true
        Output.line("\(folder)/\(name): made")
      } else {
        Output.line("\(folder)/\(name): already exists, not changed")
      }
    }
    guard made else { return }
    Output.note(
      """

      For each node NAME, copy \(folder)/NAME to its machine, to a folder that only the server's user can read, such as
      /etc/hearth/node. Then start the node, which takes the keys from there:
        hearth serve --data DATA --cluster '\(JournalEngines.urlStart)…' --cluster-identity /etc/hearth/node \\
          --node NAME=ADDRESS:PORT --peer OTHER=ADDRESS:PORT --peer …
      """)
  }
}
