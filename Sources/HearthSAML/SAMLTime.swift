/// Moments as SAML writes them: `2026-11-28T10:00:00Z`, with or without a fraction.
enum SAMLTime {
  /// Seconds since 1970; nil for what is no moment in UTC. A fraction is left out.
  static func seconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard (20...40).contains(bytes.count), bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
      let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
      let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
      year >= 1970, (1...12).contains(month), (1...days(month, year)).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    var rest = bytes[19...]
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty else { return nil }
      rest = rest.dropFirst(1 + digits.count)
    }
    guard rest.elementsEqual("Z".utf8) || rest.elementsEqual("+00:00".utf8) else { return nil }
    return ((daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
  }

  static func text(_ seconds: Int64) -> String {
    // As far as a year has four digits.
    let clamped = min(max(0, seconds), 253_402_300_799)
    var (year, rest) = (Int64(1970), clamped / 86_400)
    while rest >= (isLeap(year) ? 366 : 365) {
      rest -= isLeap(year) ? 366 : 365
      year += 1
    }
    var month: Int64 = 1
    while rest >= days(month, year) {
      rest -= days(month, year)
      month += 1
    }
    let time = clamped % 86_400
    func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
    return "\(year)-\(two(month))-\(two(rest + 1))T\(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60))Z"
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  private static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private static func days(_ month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let before = year - 1
    let leaps = before / 4 - before / 100 + before / 400 - (1969 / 4 - 1969 / 100 + 1969 / 400)
    let months = (1..<month).reduce(0) { $0 + days($1, year) }
    return (year - 1970) * 365 + leaps + months + day - 1
  }
}
