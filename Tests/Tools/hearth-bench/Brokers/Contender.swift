import ArgumentParser
import HearthProgram

/// A server in the comparison, started anew for each of its runs.
struct Contender {
  enum Kind: String, CaseIterable, ExpressibleByArgument {
    case hearth, streams, redis, nats, mosquitto

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
  }

  var name: String
  private var start: Start

  private enum Start {
    /// A hearth program with clients on sockets or on event streams.
    case hearth(program: String, streams: Bool)
    case broker(Broker)
  }

  /// Returns the available contenders of the given kinds.
  ///
  /// - Parameters:
  ///   - program: The hearth program; nil for the one in the folder of this program.
  ///   - beside: A second hearth program to compare with the first; nil for none.
  /// - Throws: An error when `program` is nil and the folder has no hearth program. Brokers that are not installed
  ///   are left out, with a note.
  static func list(_ kinds: [Kind], program: String?, beside: String?) throws -> [Contender] {
    var list: [Contender] = []
    for kind in kinds {
      switch kind {
      case .hearth, .streams:
        let (name, isStreams) = (kind == .hearth ? "hearth" : "hearth, event streams", kind == .streams)
        let own = try program ?? ProgramFile.sibling("hearth")
        list.append(Contender(name: name, start: .hearth(program: own, streams: isStreams)))
        guard let beside else { continue }
        list.append(Contender(name: "\(name) (\(beside))", start: .hearth(program: beside, streams: isStreams)))
      case .redis, .nats, .mosquitto:
        for broker in Broker.all where broker.name == kind.rawValue {
          if BrokerProcess.isInstalled(broker) {
            list.append(Contender(name: broker.program, start: .broker(broker)))
          } else {
            Output.note("\(broker.program) is not installed and left out")
          }
        }
      }
    }
    return list
  }

  /// Starts the server, runs the work with it, and stops it.
  func run<Value>(cpu: Int, in folder: String, connections: Int, _ work: (FanoutPeer) throws -> Value) throws -> Value {
    switch start {
    case .hearth(let program, let isStreams):
      let server = try BenchServer(program: program, cpu: cpu, in: folder)
      defer { server.stop() }
      let target = try server.target()
      return try work(isStreams ? .streams(of: target) : .sockets(of: target, connections: connections))
    case .broker(let broker):
      let process = try BrokerProcess(broker, cpu: cpu, in: folder)
      defer { process.stop() }
      return try work(broker.peer(process: process.id, port: process.port))
    }
  }
}
