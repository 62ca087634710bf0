import GRDB

/// Reading of columns in their stored type. GRDB's typed reads would stop the process at a damaged row.
extension Row {
  /// Returns the integer in a column; nil when something else is stored there.
  func integer(_ index: Int) -> Int64? {
    let value: DatabaseValue = self[index]
    guard case .int64(let integer) = value.storage else { return nil }
    return integer
  }

  /// Returns the text in a column; nil when something else is stored there.
  func text(_ index: Int) -> String? {
    let value: DatabaseValue = self[index]
    guard case .string(let text) = value.storage else { return nil }
    return text
  }

  /// Returns the bytes in a column; nil when something else is stored there.
  func blob(_ index: Int) -> [UInt8]? {
    let value: DatabaseValue = self[index]
    guard case .blob(let data) = value.storage else { return nil }
    return [UInt8](data)
  }
}

extension DatabaseValue {
  /// Returns a blob. GRDB accepts bytes only as Foundation's `Data`; its storage type avoids an import of Foundation
  /// here.
  static func blob(_ bytes: [UInt8]) -> DatabaseValue {
    Storage.blob(.init(bytes)).value?.databaseValue ?? .null
  }
}
