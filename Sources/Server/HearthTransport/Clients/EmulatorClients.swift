import HearthBytes

/// The networks whose clients an emulator treats as those of its own machine: containers, and test devices.
package struct EmulatorClients: Sendable, Equatable {
  /// A text that names no network.
  package struct InvalidNetwork: Error, CustomStringConvertible {
    /// The text as it was given.
    package var text: String

    package var description: String { "\"\(text)\" is neither an IP address nor a block like 172.17.0.0/16" }
  }

  private let blocks: [IPNetwork]

  /// The empty list: clients of the emulator's own machine alone.
  package static let none = EmulatorClients(blocks: [])

  private init(blocks: [IPNetwork]) { self.blocks = blocks }

  /// Reads a list of networks.
  ///
  /// - Parameter texts: addresses and blocks in CIDR notation.
  /// - Throws: ``InvalidNetwork`` for a text that is neither.
  package init(_ texts: [String]) throws(InvalidNetwork) {
    var blocks: [IPNetwork] = []
    for text in texts {
      guard let block = IPNetwork(text) else { throw InvalidNetwork(text: text) }
      blocks.append(block)
    }
    self.blocks = blocks
  }

  /// Returns true when the other end of a connection is in one of the networks.
  package func contains(_ peer: Peer) -> Bool {
    guard !blocks.isEmpty, peer.clientAtOtherNode == nil,
      let address = peer.address?.ipAddress.flatMap({ IPAddress($0) })
    else { return false }
    return blocks.contains { $0.contains(address) }
  }
}
