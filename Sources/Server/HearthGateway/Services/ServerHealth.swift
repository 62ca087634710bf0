import HearthDatabase
import HearthEngine
import HearthJournal

/// True when the server can do its work, as far as anybody may know: no names, no paths.
struct ServerHealth: Equatable, Sendable {
  /// How writing goes; the worse, the greater. The texts are interface.
  enum State: String, Sendable, CaseIterable {
    case ok
    /// What room there is on the disk is kept for administrators. Ends by itself when there is more.
    case lowSpace = "low-space"
    /// There is no room on the disk. Ends by itself when there is.
    case noSpace = "no-space"
    /// What keeps the journals cannot be reached. Ends by itself when it can.
    case storageAway = "storage-away"
    /// The disk refused to read, write or sync. Ends by itself when it works and holds what was acknowledged.
    case diskFault = "disk-fault"
    /// The disk lost what was acknowledged. Takes a restart.
    case failed
  }

  /// The worst of the open databases.
  var databases: State
  var accounts: State

  var phase = ServerPhase.Value.serving
  /// The operator should make room on the disk; nothing is refused for that.
  var isShortOfRoom = false

  /// True when everything can be written. Accounts that take no new ones for want of room are none the worse for those
  /// who have one: a database that made room for itself serves them.
  var isGood: Bool { databases == .ok && (accounts == .ok || accounts == .lowSpace) }
  /// True when requests should be sent to this server.
  var isReady: Bool { isGood && phase == .serving }

  /// In a word, for load balancers, and nothing more: anybody may ask.
  var word: String {
    switch phase {
    case .starting: "starting"
    case .draining: "draining"
    case .serving: isGood ? "ready" : "unwritable"
    }
  }

  /// The fault, and what mends it; nil when nothing is.
  var text: String? {
    let parts = [("Databases", databases), ("Accounts", accounts)].compactMap { name, state -> String? in
      switch state {
      case .ok: nil
      case .lowSpace: "\(name) take nothing new: the disk is nearly full."
      case .noSpace: "\(name) cannot be written: the disk is full."
      case .storageAway: "\(name) cannot be written: the store does not answer."
      case .diskFault: "\(name) cannot be written: the disk does not work. It is tried again."
      case .failed: "\(name) cannot be written until the server is started again: the disk failed."
      }
    }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }
}

extension ServerHealth {
  init(_ services: GatewayServices) {
    let away: [State] = services.storage.isAway ? [.storageAway] : []
    let states = away + services.databases.openDatabases.map { State($0.status, isSpaceLow: $0.isSpaceLow) }
    databases = State.allCases.last(where: states.contains) ?? .ok
    let store = services.accounts.own.store
    let state = State(store.status, isSpaceLow: store.isSpaceLow)
    accounts = state == .ok ? away.first ?? .ok : state
    phase = services.phase.value
    isShortOfRoom = services.space.level == .low
  }
}

extension ServerHealth.State {
  /// A database that is closed is one of a server that stops.
  init(_ status: DatabaseStatus, isSpaceLow: Bool = false) {
    switch status {
    case .running: self = isSpaceLow ? .lowSpace : .ok
    case .closed: self = .ok
    case .stalled(let error):
      self =
        switch error.code {
        case .unavailable: .storageAway
        case .diskFault: .diskFault
        default: .noSpace
        }
    case .halted: self = .failed
    }
  }
}
