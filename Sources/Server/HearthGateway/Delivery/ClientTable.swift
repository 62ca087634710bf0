import HearthEngine
import HearthTransport

/// The clients of one event loop, found without a search: a ``ConnectionID`` says at which place its client stands.
///
/// From the low bits: eight for the loop, twenty-four for the place, and thirty-two that count the loop's clients, so that
/// what is meant for one who is gone never reaches the one who has its place.
struct ClientTable: ~Copyable {
  /// How a client is told of events.
  struct Row: BitwiseCopyable {
    fileprivate(set) var serial: UInt32 = 0
    /// The number of the form in which events are put in ``outlet``; 0 when the client itself is told.
    var form: Int32 = 0
    var outlet = OutletID.none
  }

  /// Places at most; far more than a process may have descriptors.
  private static let countMax = 1 << 24

  private let loop: UInt64
  let rows = RawRows<Row>()
  private var clients: [(any HubClient)?] = []
  private var free: [Int] = []
  private var serial: UInt32 = 0
  private(set) var count = 0

  /// - Parameter loop: its number, which is below 256.
  init(loop: Int) { self.loop = UInt64(loop) }

  /// Takes a client in.
  mutating func add(_ client: any HubClient) -> ConnectionID {
    let place = free.popLast() ?? rows.count
    precondition(place < Self.countMax, "more clients than descriptors")
    if place == rows.count {
      rows.append(Row())
      clients.append(nil)
    }
    // 0 is nobody's: the ids of requests have it.
    repeat { serial &+= 1 } while serial == 0
    rows[place] = Row(serial: serial)
    clients[place] = client
    count += 1
    return ConnectionID(rawValue: UInt64(serial) << 32 | UInt64(place) << 8 | loop)
  }

  mutating func remove(_ id: ConnectionID) {
    guard let place = place(of: id) else { return }
    rows[place] = Row()
    clients[place] = nil
    free.append(place)
    count -= 1
  }

  /// Returns the place where the client stands; nil when it is gone.
  @inline(__always)
  func place(of id: ConnectionID) -> Int? {
    let place = Int(truncatingIfNeeded: id.rawValue >> 8 & 0xFF_FFFF)
    guard place < rows.count, UInt64(rows[place].serial) == id.rawValue >> 32, rows[place].serial != 0 else {
      return nil
    }
    return place
  }

  /// Everybody.
  var all: [any HubClient] { clients.compactMap(\.self) }

  /// Who stands at that place.
  func client(at place: Int) -> (any HubClient)? { clients[place] }

  subscript(id: ConnectionID) -> (any HubClient)? { place(of: id).flatMap { clients[$0] } }
}
