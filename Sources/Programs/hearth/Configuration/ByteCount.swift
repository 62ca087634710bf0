import ArgumentParser

/// A byte count or another number as an argument: `0`, `1000000`, `500K`, `500M`, `2G`, `1T`, in powers of 1,024.
struct ByteCount: ExpressibleByArgument {
  let bytes: Int

  init?(argument: String) {
    let digits = argument.prefix { $0.isASCII && $0.isNumber }
    let shifts: [String: Int] = ["": 0, "K": 10, "M": 20, "G": 30, "T": 40]
    guard let number = Int(digits), let shift = shifts[argument.dropFirst(digits.count).uppercased()],
      case (let bytes, let isTooMany) = number.multipliedReportingOverflow(by: 1 << shift), !isTooMany
    else { return nil }
    self.bytes = bytes
  }
}
