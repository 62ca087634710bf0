/// The values that loads write.
enum BenchPayload {
  /// Returns a value of the given size in bytes, like a chat message; all values of one size have the same length.
  static func json(_ sizeBytes: Int, _ number: Int) -> String {
    let text = "{\"n\":\(number),\"text\":\""
    return text + String(repeating: "x", count: max(0, sizeBytes - text.utf8.count - 2)) + "\"}"
  }
}
