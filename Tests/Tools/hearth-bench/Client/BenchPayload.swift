/// The values that loads write.
enum BenchPayload {
  /// A value of so many bytes, as a chat message would be; all of one size have the same length.
  static func json(_ sizeBytes: Int, _ number: Int) -> String {
    let text = "{\"n\":\(number),\"text\":\""
    return text + String(repeating: "x", count: max(0, sizeBytes - text.utf8.count - 2)) + "\"}"
  }
}
