import CPostgres
import Glibc

/// A connection in pipeline mode, confined to one thread. Only ``init(_:)`` blocks.
final class PostgresLink {
  /// A response of the server, in the order of the requests.
  enum Event {
    case answer(PostgresAnswer)
    case fault(PostgresFault)
    /// The server skipped a statement, because an earlier one was refused.
    case skipped
    /// The end of a statement.
    case end
    /// The end of a transaction: libpq's pipeline sync.
    case sync
  }

  /// The reason of a failed connection.
  struct Problem: Error {
    var message: String
    /// The server's SQLSTATE, or the one that describes the failure, if it is known: `28000` for a missing or wrong
    /// password, `08P01` when another program answers.
    var state = ""
  }

  private let connection: OpaquePointer
  private let address: PostgresAddress
  /// True when the server has sent a warning since ``takeWarning()``; with a warning it reports that a commit is not
  /// replicated.
  private(set) var hasWarning = false

  /// Connects, trying the hosts one after another. Blocks for up to ``PostgresLimits/connectSeconds`` a host.
  init(_ address: PostgresAddress) throws(Problem) {
    self.address = address
    var keys: [UnsafePointer<CChar>?] = []
    var values: [UnsafePointer<CChar>?] = []
    for (key, value) in address.parameters {
      keys.append(UnsafePointer(strdup(key)))
      values.append(UnsafePointer(strdup(value)))
    }
    defer {
      for text in keys + values { free(UnsafeMutablePointer(mutating: text)) }
    }
    guard let connection = PQconnectdbParams(keys + [nil], values + [nil], 0) else {
      throw Problem(message: "not enough memory for a connection")
    }
    guard PQstatus(connection) == CONNECTION_OK, PQsetnonblocking(connection, 1) == 0,
      PQenterPipelineMode(connection) == 1
    else {
      defer { PQfinish(connection) }
      let isAboutPassword = PQconnectionNeedsPassword(connection) == 1 || PQconnectionUsedPassword(connection) == 1
      throw Problem(
        message: address.scrubbed(String(cString: PQerrorMessage(connection))), state: isAboutPassword ? "28000" : "")
    }
    self.connection = connection
    PQsetNoticeReceiver(
      connection,
      { link, result in
        guard let link else { return }
        Unmanaged<PostgresLink>.fromOpaque(link).takeUnretainedValue().note(result)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { PQfinish(connection) }

  /// The socket's descriptor, for `poll(2)`.
  var descriptor: Int32 { PQsocket(connection) }

  /// The ID of the server's process, as reported at the connection; a connection pooler reports a wrong one.
  var processIdentifier: Int32 { PQbackendPID(connection) }

  /// The error message of libpq for a broken connection.
  var errorMessage: String {
    let text = address.scrubbed(String(cString: PQerrorMessage(connection)))
    return text.isEmpty ? "the connection ended" : text
  }

  private var isBroken: Bool { PQstatus(connection) == CONNECTION_BAD }

  private func note(_ notice: OpaquePointer?) {
    // Reads the severity in the form that is not localized.
    guard let severity = PQresultErrorField(notice, Self.severity) else {
      hasWarning = true
      return
    }
    if String(cString: severity) == "WARNING" { hasWarning = true }
  }

  /// Returns true when there was a warning, and clears it.
  func takeWarning() -> Bool {
    defer { hasWarning = false }
    return hasWarning
  }

  // MARK: Sending

  /// Hands a statement to libpq. False when the connection is broken.
  func send(_ statement: PostgresStatement) -> Bool {
    let count = statement.parameters.count
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, statement.parameters.reduce(0) { $0 + max(1, $1.sizeBytes) }), alignment: 8)
    defer { buffer.deallocate() }
    var values: [UnsafePointer<CChar>?] = []
    var lengths: [Int32] = []
    var start = 0
    for parameter in statement.parameters {
      let size = parameter.sizeBytes
      let place = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + size])
      switch parameter {
      case .integer(let number): withUnsafeBytes(of: number.bigEndian) { place.copyMemory(from: $0) }
      case .bytes(let bytes): place.copyBytes(from: bytes)
      case .text(let text): place.copyBytes(from: text.utf8)
      case .null: break
      }
      if case .null = parameter {
        values.append(nil)
      } else {
        values.append((buffer.baseAddress! + start).assumingMemoryBound(to: CChar.self))
      }
      lengths.append(Int32(clamping: size))
      start += max(1, size)
    }
    let formats = [Int32](repeating: 1, count: count)
    let number = Int32(count)
    let isSent =
      statement.sql.name.isEmpty
      ? PQsendQueryParams(connection, statement.sql.text, number, nil, values, lengths, formats, 1)
      : PQsendQueryPrepared(connection, statement.sql.name, number, values, lengths, formats, 1)
    return isSent == 1
  }

  /// Hands the preparation of a statement to libpq. False when the connection is broken.
  func sendPreparing(_ sql: PostgresSQL) -> Bool { PQsendPrepare(connection, sql.name, sql.text, 0, nil) == 1 }

  /// Ends a transaction. False when the connection is broken.
  func sendSync() -> Bool { PQpipelineSync(connection) == 1 }

  /// Sends as much as the socket accepts.
  ///
  /// - Returns: True when bytes are left to send; nil when the connection is broken.
  func flush() -> Bool? {
    switch PQflush(connection) {
    case 0: false
    case 1: true
    default: nil
    }
  }

  // MARK: Receiving

  /// Receives what the socket has. False when the connection is broken.
  func receive() -> Bool { PQconsumeInput(connection) == 1 }

  /// Returns the next complete event; nil when more data is needed.
  func next() -> Event? {
    guard PQisBusy(connection) == 0, !isBroken else { return nil }
    guard let result = PQgetResult(connection) else { return isBroken ? nil : .end }
    defer { PQclear(result) }
    switch PQresultStatus(result) {
    case PGRES_PIPELINE_SYNC: return .sync
    case PGRES_PIPELINE_ABORTED: return .skipped
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return .answer(Self.answer(result))
    default: return .fault(fault(result))
    }
  }

  private func fault(_ result: OpaquePointer) -> PostgresFault {
    func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
    return PostgresFault(
      state: field(Self.sqlState) ?? "", message: address.scrubbed(field(Self.primaryMessage) ?? errorMessage))
  }

  private static func answer(_ result: OpaquePointer) -> PostgresAnswer {
    var answer = PostgresAnswer()
    let (rows, columns) = (PQntuples(result), PQnfields(result))
    for row in 0..<max(0, rows) {
      var values: [[UInt8]?] = []
      for column in 0..<max(0, columns) {
        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else {
          values.append(nil)
          continue
        }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
        values.append([UInt8](bytes))
      }
      answer.rows.append(values)
    }
    answer.count = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    return answer
  }

  // The codes of fields are character macros, which Swift does not import: PG_DIAG_SEVERITY_NONLOCALIZED and others.
  private static let severity = Int32(UInt8(ascii: "V"))
  private static let sqlState = Int32(UInt8(ascii: "C"))
  private static let primaryMessage = Int32(UInt8(ascii: "M"))
}
