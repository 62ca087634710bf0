import HearthEngine
import HearthTransport

/// The clients of one event loop by a ``ConnectionID``, which contains the row of its client.
///
/// From the low bits: eight for the loop, twenty-four for the row, and thirty-two that count the loop's clients, so
/// that a message for a client that is gone never reaches the next one in its row.
struct ClientTable: ~Copyable {
  /// The delivery of events to a client.
  struct Row: BitwiseCopyable {
    fileprivate(set) var serial: UInt32 = 0
    /// The number of the form in which events are put in ``outlet``; 0 when the client itself gets them.
    var form: Int32 = 0
    var outlet = OutletID.none
  }

  /// The maximum number of rows; far more than a process may have descriptors.
  private static let countMax = 1 << 24

  private let loop: UInt64
  let rows = RawRows<Row>()
  private var clients: [(any HubClient)?] = []
  private var free: [Int] = []
  private var serial: UInt32 = 0
  private(set) var count = 0

  /// - Parameter loop: its index, which is below 256.
  init(loop: Int) { self.loop = UInt64(loop) }

  /// Adds a client.
  mutating func add(_ client: any HubClient) -> ConnectionID {
    let place = free.popLast() ?? rows.count
    precondition(place < Self.countMax, "more clients than descriptors")
    if place == rows.count {
      rows.append(Row())
      clients.append(nil)
    }
    // The serial 0 belongs to no client: the ids of one-off requests have it.
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

  /// Returns the client's row; nil when it is gone.
  @inline(__always)
  func place(of id: ConnectionID) -> Int? {
    let place = id.row
    guard place < rows.count, UInt64(rows[place].serial) == id.rawValue >> 32, rows[place].serial != 0 else {
      return nil
    }
    return place
  }

  /// The clients of the loop.
  var all: [any HubClient] { clients.compactMap(\.self) }

  /// Returns the client in that row.
  func client(at place: Int) -> (any HubClient)? { clients[place] }

  subscript(id: ConnectionID) -> (any HubClient)? { place(of: id).flatMap { clients[$0] } }
}
