import HearthProgram
import HearthTree

/// The line of a receipt for readers, or its JSON for scripts.
struct ReceiptLine {
  var receipt: JSON

  func print(_ admin: Administration, withListeners: Bool = false) {
    if admin.printsJSON { return Output.json(receipt) }
    Output.line(text)
    if withListeners { for line in listenerLines { Output.line(line) } }
  }

  var text: String {
    var words = [
      TimeText.milliseconds(receipt["time"]?.int ?? 0), receipt["database"]?.string ?? "-", cause,
      "examined \(count("examined")), kept \(count("kept")), cancelled \(count("cancelled"))",
    ]
    if let times = receipt["milliseconds"], let p99 = times["p99"]?.number, let last = times["max"]?.number {
      words.append("p99 \(Self.milliseconds(p99)), last \(Self.milliseconds(last))")
    }
    if count("gone") > 0 { words.append("\(count("gone")) already disconnected") }
    let nodes = names("nodes", { $0["name"]?.string })
    if nodes.count > 1 { words.append("on \(nodes.joined(separator: ", "))") }
    let silent = names("unanswered", \.string)
    if !silent.isEmpty { words.append("no response from \(silent.joined(separator: ", "))") }
    if receipt["isComplete"]?.bool == false { words.append("not complete: \(count("late")) not yet written") }
    return TextTable.printable(words.joined(separator: "  "))
  }

  private func names(_ member: String, _ name: (JSON) -> String?) -> [String] {
    (receipt[member]?.array ?? []).compactMap(name)
  }

  private var cause: String {
    guard let revocation = receipt["revocation"] else {
      return "\(receipt["cause"]?.string ?? "?") at \(receipt["position"]?.int ?? 0)"
    }
    let whom = ["uid", "email", "key", "kind"].lazy.compactMap { revocation[$0]?.string }.first ?? ""
    return "\(revocation["event"]?.string ?? "?") \(whom)"
  }

  private var listenerLines: [String] {
    var lines = (receipt["listeners"]?.array ?? []).map { listener -> String in
      var words = [
        "  \(listener["connection"]?.string ?? "?")", listener["path"]?.string ?? "?",
        "uid=\(listener["uid"]?.string ?? "-")", "last position \(listener["lastPosition"]?.int ?? 0)",
      ]
      if let node = listener["node"]?.string { words.append("on \(node)") }
      if let query = listener["query"] { words.append("query=\(String(decoding: query.text(), as: UTF8.self))") }
      words.append(listener["milliseconds"]?.number.map(Self.milliseconds) ?? listener["outcome"]?.string ?? "")
      return TextTable.printable(words.joined(separator: "  "))
    }
    if count("listenersOmitted") > 0 { lines.append("  and \(count("listenersOmitted")) more") }
    let kept = receipt["keptListeners"]?.array ?? []
    lines += kept.map(Self.keptLine)
    if !kept.isEmpty, count("kept") > kept.count {
      lines.append("  and \(count("kept") - Int64(kept.count)) more kept")
    }
    return lines
  }

  private static func keptLine(_ listener: JSON) -> String {
    var words = [
      "  \(listener["connection"]?.string ?? "?")", listener["path"]?.string ?? "?",
      "uid=\(listener["uid"]?.string ?? "-")",
    ]
    if let node = listener["node"]?.string { words.append("on \(node)") }
    if let rule = listener["rule"], let line = rule["line"]?.int, let column = rule["column"]?.int {
      let place = (rule["file"]?.string.map { $0 + ":" } ?? "") + "\(line):\(column)"
      words.append("kept by .\(rule["kind"]?.string ?? "?") of \(rule["path"]?.string ?? "?") (\(place))")
    } else {
      words.append("kept: rules do not apply to it")
    }
    return TextTable.printable(words.joined(separator: "  "))
  }

  private func count(_ name: String) -> Int64 { receipt[name]?.int ?? 0 }

  private static func milliseconds(_ value: Double) -> String { "\((value * 10).rounded() / 10) ms" }
}

extension JSON {
  fileprivate var number: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }
}
