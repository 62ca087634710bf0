/// Why a server cannot be started with what it was told: what, where, and what to do about it.
struct ConfigurationFailure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
