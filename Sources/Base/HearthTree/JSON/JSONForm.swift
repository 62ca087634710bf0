/// How tree data is written as JSON.
public enum JSONForm: Sendable {
  /// Everything: a leaf with a priority is `{".value":…,".priority":…}`, an interior node's priority stands beside its
  /// children, nothing is an array.
  case export
  /// Without priorities; nodes whose keys are mostly `0`, `1`, `2`, … are arrays.
  case plain
  /// Without priorities, and nothing is an array: what triggers send.
  case objects
}
