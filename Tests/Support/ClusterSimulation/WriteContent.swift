import HearthCluster

/// The content of a simulated write: a unique number and an operation.
package struct WriteContent: Equatable, Sendable {
  package enum Effect: UInt8, Sendable { case plain, refused, cut, onDisconnect }

  package var number: UInt32
  package var effect: Effect
  /// The client whose listen the write cuts off.
  package var target: UInt16 = 0

  /// The path of an on-disconnect write, one of three: a later write of the same session to a path replaces an earlier
  /// one.
  package var place: UInt32 { number % 3 }

  /// The encoding in requests and events.
  package var bytes: [UInt8] {
    [effect.rawValue] + [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
      + [0, 8].map { UInt8(truncatingIfNeeded: target >> $0) }
  }

  /// The encoding in the log: the prefix of an engine's frame, then the bytes of the request.
  package var frame: [UInt8] {
    let kind: UInt8 = effect == .onDisconnect ? 3 : 1
    return [UInt8(9 + Self.size), 0, 0, 0, kind, 0, 0, 0, 0, 0, 0, 0, 0] + bytes
  }

  private static let size = 7

  package init(number: UInt32, effect: Effect, target: UInt16 = 0) {
    (self.number, self.effect, self.target) = (number, effect, target)
  }

  package init?(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == Self.size, let effect = Effect(rawValue: bytes[0]) else { return nil }
    let number = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[1 + $1]) << (8 * UInt32($1)) }
    self.init(number: number, effect: effect, target: UInt16(bytes[5]) | UInt16(bytes[6]) << 8)
  }

  /// Decodes the writes of a log record; nil when the record is not from the simulation.
  package static func all(in content: [UInt8]) -> [WriteContent]? {
    let frameSize = 13 + size
    guard content.count.isMultiple(of: frameSize) else { return nil }
    let found = stride(from: 0, to: content.count, by: frameSize).map { start -> WriteContent? in
      let write = WriteContent(content[(start + 13)..<(start + frameSize)])
      return write?.frame == Array(content[start..<(start + frameSize)]) ? write : nil
    }
    return found.contains { $0 == nil } ? nil : found.compactMap(\.self)
  }
}

extension LogRecord {
  /// The content as listeners receive it: writes, and on-disconnect writes once they are executed.
  package var deliveredWrites: [WriteContent] {
    switch self {
    case .write(_, let content): (WriteContent.all(in: content) ?? []).filter { $0.effect != .onDisconnect }
    case .disconnect(_, let content): WriteContent.all(in: content) ?? []
    default: []
    }
  }

  package var isTakeover: Bool { if case .takeover = self { true } else { false } }
}
