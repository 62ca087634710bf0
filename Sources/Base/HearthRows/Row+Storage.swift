import GRDB

/// Reads columns as they are stored. A typed read would stop the process on a row that is damaged.
extension Row {
  /// The integer in a column; nil when something else is stored there.
  package func integer(_ index: Int) -> Int64? {
    let value: DatabaseValue = self[index]
    guard case .int64(let integer) = value.storage else { return nil }
    return integer
  }

  /// The text in a column; nil when something else is stored there.
  package func text(_ index: Int) -> String? {
    let value: DatabaseValue = self[index]
    guard case .string(let text) = value.storage else { return nil }
    return text
  }

  /// The bytes in a column; nil when something else is stored there.
  package func blob(_ index: Int) -> [UInt8]? {
    let value: DatabaseValue = self[index]
    guard case .blob(let data) = value.storage else { return nil }
    return [UInt8](data)
  }
}

extension DatabaseValue {
  /// A blob. GRDB takes bytes as Foundation's `Data` only; going through its own storage type names none of that here.
  package static func blob(_ bytes: [UInt8]) -> DatabaseValue {
    Storage.blob(.init(bytes)).value?.databaseValue ?? .null
  }
}
