import HearthTransport
import HearthTree
import HearthWire

// The queries of /.lp:
//
//   start=t&ser=81&cb=1&v=5&ns=chat             opens a session; cb numbers the page's callback functions
//   id=…&pw=…&ser=82&seg0=4&ts0=2&d0=eyJ0Ij…    a poll; with pieces of the client's messages, three members each
//   dframe=t&id=…&pw=…                          the page that reports that the browser has left
//   disconn=t&id=…&pw=…                         that page's report

/// A request for `/.lp`.
enum PollRequest: Sendable {
  case start(callback: String)
  case poll(PollSession, Poll)
  case page(PollSession)
  case disconnect(PollSession)

  static let path = HTTPRequest.longPollPath

  /// A poll of a session.
  struct Poll: Sendable {
    /// The serial, which grows by one with every request, so that no cache answers it.
    var serial: String
    var pieces: [PollPiece]
  }

  /// - Parameter query: the bytes behind the question mark.
  /// - Returns: nil for a query that no client sends.
  init?(_ query: some Collection<UInt8>) {
    var values: [String: String] = [:]
    var pieces: [Int: PartialPiece] = [:]
    for parameter in query.split(separator: UInt8(ascii: "&")) {
      let name = parameter.prefix { $0 != UInt8(ascii: "=") }
      guard let value = PercentEncoding.decodeLeniently(parameter.dropFirst(name.count + 1)) else { return nil }
      let text = String(decoding: name, as: UTF8.self)
      if Self.names.contains(text) {
        guard values.updateValue(value, forKey: text) == nil else { return nil }
      } else if let (member, index) = Self.member(text) {
        guard pieces[index, default: PartialPiece()].set(member, value) else { return nil }
      }
    }
    if values["start"] == "t" {
      guard let callback = values["cb"], Self.isNumber(callback) else { return nil }
      self = .start(callback: callback)
      return
    }
    guard let id = values["id"], let password = values["pw"] else { return nil }
    let session = PollSession(id: id, password: password)
    if values["disconn"] == "t" {
      self = .disconnect(session)
    } else if values["dframe"] == "t" {
      self = .page(session)
    } else {
      let whole = pieces.sorted { $0.key < $1.key }.compactMap(\.value.whole)
      guard whole.count == pieces.count, let serial = values["ser"] else { return nil }
      self = .poll(session, Poll(serial: serial, pieces: whole))
    }
  }

  private static let names: Set = ["start", "cb", "id", "pw", "ser", "dframe", "disconn"]

  /// Returns true for a number, which becomes a part of a function's name.
  private static func isNumber(_ text: String) -> Bool {
    (1...18).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  private enum Member: String, CaseIterable {
    case number = "seg"
    case count = "ts"
    case data = "d"
  }

  /// Returns the member and the piece of a parameter: `seg12` is the member `seg` of piece 12.
  private static func member(_ name: String) -> (Member, index: Int)? {
    for member in Member.allCases where name.hasPrefix(member.rawValue) {
      let digits = name.dropFirst(member.rawValue.count)
      if isNumber(String(digits)), let index = Int(digits) { return (member, index) }
    }
    return nil
  }

  private struct PartialPiece {
    private var number: Int?
    private var count: Int?
    private var data: String?

    /// Sets a member.
    ///
    /// - Returns: false for a repeated member, or one that is not the number that it should be.
    mutating func set(_ member: Member, _ value: String) -> Bool {
      switch member {
      case .number:
        guard number == nil, PollRequest.isNumber(value) else { return false }
        number = Int(value)
      case .count:
        guard count == nil, PollRequest.isNumber(value) else { return false }
        count = Int(value)
      case .data:
        guard data == nil else { return false }
        data = value
      }
      return true
    }

    var whole: PollPiece? {
      guard let number, let count, let data else { return nil }
      return PollPiece(number: number, count: count, text: Array(data.utf8))
    }
  }
}
