import HearthDatabase
import HearthEngine
import HearthJournal

/// The health of the server, without names or paths, which any client may read.
struct ServerHealth: Equatable, Sendable {
  /// The state of writing; the worse, the greater. The texts are interface.
  enum State: String, Sendable, CaseIterable {
    case ok
    /// The remaining disk space is reserved for administrators. Ends by itself when there is more.
    case lowSpace = "low-space"
    /// The disk is full. Ends by itself when there is room.
    case noSpace = "no-space"
    /// The journals' storage cannot be reached. Ends by itself when it can.
    case storageUnavailable = "storage-away"
    /// The disk refused to read, write or sync. Ends by itself when it works and holds all acknowledged commits.
    case diskFault = "disk-fault"
    /// The disk lost acknowledged commits. Requires a restart.
    case failed
  }

  /// The worst state of the open databases.
  var databases: State
  var accounts: State

  var phase = ServerPhase.Value.serving
  /// True when the operator should make room on the disk; no writes are refused yet.
  var isShortOfRoom = false

  /// True when all data can be written. Accounts that accept no new ones for lack of space still serve existing users:
  /// a database that made room for itself serves them.
  var isGood: Bool { databases == .ok && (accounts == .ok || accounts == .lowSpace) }
  /// True when requests should be sent to this server.
  var isReady: Bool { isGood && phase == .serving }

  /// The health in a word, for load balancers, without details: any client may read it.
  var word: String {
    switch phase {
    case .starting: "starting"
    case .draining: "draining"
    case .serving: isGood ? "ready" : "unwritable"
    }
  }

  /// The problem and its remedy; nil when there is none.
  var text: String? {
    let parts = [("Databases", databases), ("Accounts", accounts)].compactMap { name, state -> String? in
      switch state {
      case .ok: nil
      case .lowSpace: "\(name) refuse writes: the disk is nearly full."
      case .noSpace: "\(name) cannot be written: the disk is full."
      case .storageUnavailable: "\(name) cannot be written: the storage does not answer."
      case .diskFault: "\(name) cannot be written: the disk has failed. Hearth tries again."
      case .failed: "\(name) cannot be written, because the disk failed. Restart the server."
      }
    }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }
}

extension ServerHealth {
  init(_ services: GatewayServices) {
    let unavailable: [State] = services.storage.isUnavailable ? [.storageUnavailable] : []
    let states = unavailable + services.databases.openDatabases.map { State($0.status, isSpaceLow: $0.isSpaceLow) }
    databases = State.allCases.last(where: states.contains) ?? .ok
    let store = services.accounts.own.store
    let state = State(store.status, isSpaceLow: store.isSpaceLow)
    accounts = state == .ok ? unavailable.first ?? .ok : state
    phase = services.phase.value
    isShortOfRoom = services.space.level == .low
  }
}

extension ServerHealth.State {
  /// Creates the state of a database. A closed one belongs to a server that stops.
  init(_ status: DatabaseStatus, isSpaceLow: Bool = false) {
    switch status {
    case .running: self = isSpaceLow ? .lowSpace : .ok
    case .closed: self = .ok
    case .stalled(let error):
      self =
        switch error.code {
        case .unavailable: .storageUnavailable
        case .diskFault: .diskFault
        default: .noSpace
        }
    case .halted: self = .failed
    }
  }
}
