import HearthTree

/// The number of connections that and listens a cause was about, in one database.
struct ReceiptCounts: Sendable, Equatable {
  /// Connections that were signed out.
  var signedOut = 0
  /// Listens that were decided again.
  var examined = 0
  /// Those of them that lost their permission.
  var cancelled = 0
  /// Cancellations that were written.
  var sent = 0
  /// Those whose connection had gone before they could be.
  var gone = 0
  /// Those that are still on their way although the receipt is closed.
  var late = 0

  var kept: Int { examined - cancelled }

  static func += (left: inout ReceiptCounts, right: ReceiptCounts) {
    left.signedOut += right.signedOut
    left.examined += right.examined
    left.cancelled += right.cancelled
    left.sent += right.sent
    left.gone += right.gone
    left.late += right.late
  }
}

extension ReceiptCounts {
  /// More than a node has connections and listens. Sums of these cannot overflow.
  private static let countMax: Int64 = 1 << 40

  /// As receipts have them.
  var json: JSON {
    [
      "signedOut": .int(Int64(signedOut)), "examined": .int(Int64(examined)), "kept": .int(Int64(kept)),
      "cancelled": .int(Int64(cancelled)), "sent": .int(Int64(sent)), "gone": .int(Int64(gone)),
      "late": .int(Int64(late)),
    ]
  }

  /// Reads another node's ``json``; nil for what cannot be.
  init?(_ json: JSON) {
    func count(_ name: String) -> Int? {
      guard let value = json[name]?.int, (0...Self.countMax).contains(value) else { return nil }
      return Int(value)
    }
    guard let signedOut = count("signedOut"), let examined = count("examined"), let cancelled = count("cancelled"),
      let sent = count("sent"), let gone = count("gone"), let late = count("late"),
      cancelled <= examined, sent + gone + late == cancelled
    else { return nil }
    self.init(
      signedOut: signedOut, examined: examined, cancelled: cancelled, sent: sent, gone: gone, late: late)
  }
}
