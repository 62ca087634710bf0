import { h } from "preact";

interface SegmentedControlProps<Value> {
  name: string;
  options: { value: Value; label: string }[];
  value: Value;
  onChoose: (value: Value) => void;
}

/** A segmented control: a few choices, of which one is selected. */
export function SegmentedControl(props?: SegmentedControlProps<any>) {
  const { name, options, value, onChoose } = props!;
  return <div class="seg" role="group" aria-label={name}>
    {options.map(option => <button type="button" key={option.label} aria-pressed={String(option.value === value)}
      onClick={() => onChoose(option.value)}>{option.label}</button>)}
  </div>;
}
