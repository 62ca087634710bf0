extension SigningKeys {
  // For each key, newest first, these lines and then its PKCS#8 PEM block:
  //
  //     kid: <40 hexadecimal digits>
  //     state: next | signing | retired
  //     created: <seconds since 1970>      (absent until known)
  //     since: <seconds since 1970>        (absent until known)
  //
  // Files of the first release have the line `kid:` alone: there the first key signs and the others are retired.

  /// The stored form of the keys.
  var text: String {
    entries.map { entry in
      var lines = ["kid: \(entry.id)", "state: \(entry.state.rawValue)"]
      if let created = entry.createdAtSeconds { lines.append("created: \(created)") }
      if let since = entry.sinceSeconds { lines.append("since: \(since)") }
      return lines.joined(separator: "\n") + "\n" + String(decoding: entry.privatePEM, as: UTF8.self)
    }.joined()
  }

  /// Reads the stored form; nil when the text has no key, or is not in the format of `text`.
  init?(text: String) {
    var entries: [Entry] = []
    var lines = text.split(separator: "\n", omittingEmptySubsequences: true)[...]
    while !lines.isEmpty {
      guard let entry = Self.takeEntry(&lines, isFirst: entries.isEmpty) else { return nil }
      entries.append(entry)
    }
    self.init(entries: entries)
  }

  private static func takeEntry(_ lines: inout ArraySlice<Substring>, isFirst: Bool) -> Entry? {
    guard let begin = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN") }),
      let end = lines[begin...].firstIndex(where: { $0.hasPrefix("-----END") })
    else { return nil }
    var fields: [Substring: String] = [:]
    for line in lines[..<begin] {
      let parts = line.split(separator: ": ", maxSplits: 1)
      guard parts.count == 2, ["kid", "state", "created", "since"].contains(parts[0]),
        fields.updateValue(String(parts[1]), forKey: parts[0]) == nil
      else { return nil }
    }
    let pem = Array((lines[begin...end].joined(separator: "\n") + "\n").utf8)
    lines = lines[(end + 1)...]
    let state = fields["state"].map(KeyState.init(rawValue:)) ?? (isFirst ? .signing : .retired)
    guard let id = fields["kid"], id.utf8.count == 40, id.allSatisfy(\.isHexDigit), let state,
      let key = RSAKey(privatePEM: pem), let created = time(fields["created"]), let since = time(fields["since"])
    else { return nil }
    return Entry(
      id: id, key: key, privatePEM: pem, state: state, createdAtSeconds: created.seconds, sinceSeconds: since.seconds)
  }

  /// Returns the time in a field, or no time when the field is absent; nil when the field is not a time.
  private static func time(_ field: String?) -> (seconds: Int64?, Void)? {
    guard let field else { return (nil, ()) }
    guard let seconds = Int64(field), ClaimValue.int(seconds).seconds != nil else { return nil }
    return (seconds, ())
  }
}
