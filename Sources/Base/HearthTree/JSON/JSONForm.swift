/// The JSON forms of tree data.
public enum JSONForm: Sendable {
  /// The complete form: a leaf with a priority is `{".value":…,".priority":…}`, an interior node's priority stands
  /// beside its children, nothing is an array.
  case export
  /// The form without priorities; nodes whose keys are mostly `0`, `1`, `2`, … are arrays.
  case plain
  /// The form without priorities and without arrays, which triggers send.
  case objects
}
