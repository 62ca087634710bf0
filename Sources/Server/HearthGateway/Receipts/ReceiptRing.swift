import NIOCore

/// The newest receipts, in order, in the form in which they are sent.
struct ReceiptRing {
  struct Entry {
    var id: UInt64
    var database: String?
    /// The number of the revocation that it belongs to; nil for another cause.
    var revocation: UInt64?
    /// The receipt as one JSON object.
    var line: [UInt8]
  }

  private var entries = CircularBuffer<Entry>()
  private var sizeBytes = 0

  /// The id of the newest receipt; 0 before the first.
  var lastID: UInt64 { entries.last?.id ?? 0 }

  mutating func append(_ entry: Entry, limits: ReceiptLimits) {
    entries.append(entry)
    sizeBytes += entry.line.count
    while entries.count > limits.ringMax || sizeBytes > limits.ringBytesMax, entries.count > 1 {
      sizeBytes -= entries.removeFirst().line.count
    }
  }

  /// Returns the matching receipts, oldest first: the first after ``ReceiptFilter/after``, or else the last.
  func page(_ filter: ReceiptFilter) -> [Entry] {
    if filter.after != nil { return Array(entries.lazy.filter(filter.matches).prefix(filter.limit)) }
    return entries.reversed().lazy.filter(filter.matches).prefix(filter.limit).reversed()
  }
}

/// A selection of receipts.
struct ReceiptFilter: Sendable {
  /// The id before the selected ones; nil for the newest.
  var after: UInt64?
  var database: String?
  /// The revocation of the selected ones; nil for any cause.
  var revocation: UInt64?
  var limit = 100

  func matches(_ entry: ReceiptRing.Entry) -> Bool {
    if let after, entry.id <= after { return false }
    if let database, entry.database != database { return false }
    if let revocation, entry.revocation != revocation { return false }
    return true
  }
}

/// A response to a request for receipts.
struct ReceiptPage: Sendable {
  /// The receipts, each as one JSON object, oldest first.
  var lines: [[UInt8]] = []
  /// The id of the newest receipt of all, for the next request.
  var lastID: UInt64 = 0
  /// False while further receipts of the requested revocation are outstanding.
  var isComplete = true

  /// The body of the response: `{"receipts":[…],"last":7,"isComplete":true}`.
  var body: [UInt8] {
    var body = Array("{\"receipts\":[".utf8)
    for (index, line) in lines.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      body += line
    }
    body += Array("],\"last\":\(lastID),\"isComplete\":\(isComplete)}".utf8)
    return body
  }
}
