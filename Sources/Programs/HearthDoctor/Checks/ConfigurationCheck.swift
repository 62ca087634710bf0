import HearthTree

/// A check for secrets in the operator's configuration file that could be in files of their own.
package struct ConfigurationCheck: Sendable {
  private let path: String
  private let mode: UInt32
  private let settings: JSON

  /// - Parameters:
  ///   - path: The path of the file.
  ///   - mode: The permission bits of the file.
  ///   - settings: The content of the file.
  package init(path: String, mode: UInt32, settings: JSON) {
    (self.path, self.mode, self.settings) = (path, mode & 0o777, settings)
  }

  private static let endings = ["password", "secret", "privatekey", "apikey", "token"]
  private static let depthMax = 32

  /// The findings by setting name; they show no values.
  package var findings: [Finding] {
    let places = places(settings, at: "", depth: 0)
    guard !places.isEmpty else { return [Finding(ok: "configuration", "\(path) contains no secrets")] }
    let text = "\(path) contains secrets: \(places.joined(separator: ", "))"
    if mode & 0o007 != 0 {
      return [
        Finding(
          "secret-in-configuration", .error,
          text + "; and its mode \(String(mode, radix: 8)) lets every user of this machine read it",
          advice: "chmod 640 '\(path)', set its group to the server's, and replace the secrets")
      ]
    }
    return [
      Finding(
        "secret-in-configuration", .notice, text,
        advice: "move each secret to its own file, and name the file in the setting whose name ends in File")
    ]
  }

  private func places(_ value: JSON, at place: String, depth: Int) -> [String] {
    guard depth < Self.depthMax else { return [] }
    if let array = value.array {
      return array.enumerated().flatMap { places($1, at: "\(place)[\($0)]", depth: depth + 1) }
    }
    return (value.members ?? []).flatMap { member -> [String] in
      let inner = place.isEmpty ? member.name : "\(place).\(member.name)"
      if let text = member.value.string, !text.isEmpty, Self.endings.contains(where: member.name.lowercased().hasSuffix)
      {
        return [inner.printable]
      }
      return places(member.value, at: inner, depth: depth + 1)
    }
  }
}
