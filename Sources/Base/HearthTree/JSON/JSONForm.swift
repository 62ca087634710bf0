/// The JSON forms of tree data.
public enum JSONForm: Sendable {
  /// The complete form: a leaf with a priority is `{".value":…,".priority":…}`, an interior node's priority is a member
  /// next to its children, and there are no arrays.
  case export
  /// The form without priorities; nodes whose keys are mostly `0`, `1`, `2`, … are arrays.
  case plain
  /// The form without priorities and without arrays, which triggers send.
  case objects
}
