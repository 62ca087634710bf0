import ArgumentParser

/// The permitted duration of a load.
enum LoadDuration {
  static func check(seconds: Double) throws {
    guard seconds > 0, seconds <= 600 else {
      throw ValidationError("--duration-seconds must be more than 0 and at most 600.")
    }
  }
}
