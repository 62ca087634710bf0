import HearthTree

/// The numbers of connections and listens that a cause concerned, in one database.
struct ReceiptCounts: Sendable, Equatable {
  /// The connections that were signed out.
  var signedOut = 0
  /// The listens that were decided again.
  var examined = 0
  /// The listens that lost their permission.
  var cancelled = 0
  /// The cancellations that were written.
  var sent = 0
  /// The cancellations whose connection had ended before.
  var gone = 0
  /// The cancellations that are not written yet although the receipt is closed.
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
  /// A number above all counts of a node. Sums of such counts cannot overflow.
  private static let countMax: Int64 = 1 << 40

  /// The counts as members of a receipt.
  var json: JSON {
    [
      "signedOut": .int(Int64(signedOut)), "examined": .int(Int64(examined)), "kept": .int(Int64(kept)),
      "cancelled": .int(Int64(cancelled)), "sent": .int(Int64(sent)), "gone": .int(Int64(gone)),
      "late": .int(Int64(late)),
    ]
  }

  /// Reads another node's ``json``; nil for values that no node sends.
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
