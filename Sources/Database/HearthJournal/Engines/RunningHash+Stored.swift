extension RunningHash {
  /// A running hash in its stored form.
  package init(stored: Int64) { self.init(rawValue: UInt64(bitPattern: stored)) }

  /// The same bits as a signed integer, for database columns.
  package var stored: Int64 { Int64(bitPattern: rawValue) }
}
