import HearthTree

/// The encoding of an answer to a ``ForwardedChange``:
///
/// ```
/// reply = version:u8 outcome                                       version is 1
/// outcome = 1                                                      done
///         | 2 node                                                 done, with the new data
///         | 3 node                                                 stale, with the present data; nothing was written
///         | 4 code:text message:text                               failed, or with an unknown outcome
/// ```
///
/// A node is a value of ``CommitRecord``, a text is encoded as in ``ForwardedChange``.
///
/// Example: `01 02 03 0e`: done, and the new data is the integer 7.
extension Reply {
  private static let forwardedVersion: UInt8 = 1
  /// The encoding of ``ok``, the answer to most writes.
  private static let done: [UInt8] = [forwardedVersion, 1]

  /// The encoding that ``init(forwarded:)`` decodes. Answers to reads never travel between servers, and are encoded as
  /// ``ok``.
  package var forwarded: [UInt8] {
    if case .ok = self { return Self.done }
    var bytes = [Self.forwardedVersion]
    switch self {
    case .ok, .listening, .result, .value: bytes.append(1)
    case .written(let node):
      bytes.append(2)
      NodeEncoder.append(node, to: &bytes)
    case .stale(let node):
      bytes.append(3)
      NodeEncoder.append(node, to: &bytes)
    case .failure(let failure):
      bytes.append(4)
      bytes.append(sized: failure.code.rawValue)
      bytes.append(sized: failure.message)
    }
    return bytes
  }

  /// Decodes an answer.
  package init(forwarded: [UInt8]) throws(ForwardingError) {
    if forwarded == Self.done {
      self = .ok
      return
    }
    self = try ForwardingError.reading(forwarded) { cursor in
      let version = try cursor.byte()
      guard version == Self.forwardedVersion else {
        throw RecordError.Problem("unknown version \(version) of a reply")
      }
      switch try cursor.byte() {
      case 1: return .ok
      case 2: return .written(try CommitRecord.node(&cursor))
      case 3: return .stale(try CommitRecord.node(&cursor))
      case 4:
        guard let code = Failure.Code(rawValue: try cursor.text()) else {
          throw RecordError.Problem("unknown failure code")
        }
        return .failure(Failure(code, try cursor.text()))
      case let kind: throw RecordError.Problem("unknown kind \(kind) of reply")
      }
    }
  }
}
