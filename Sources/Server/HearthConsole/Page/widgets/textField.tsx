import { h } from "preact";

interface TextFieldProps {
  label: JSX.Element | string;
  value: string;
  onChange: (value: string) => void;
  /** What is wrong with the value, shown below the field. */
  problem?: string | null;
  /** Text of people instead of keys and values. */
  isProse?: boolean;
  /** Several lines. */
  rows?: number;
  type?: string;
  inputMode?: string;
  placeholder?: string;
}

/** One field with its name, and what is wrong with it. */
export function TextField(props?: TextFieldProps) {
  const { label, value, onChange, problem, isProse, rows, type = "text", inputMode, placeholder } = props!;
  const given = {
    value, placeholder, spellCheck: false, autocomplete: "off",
    onInput: (event: Event) => onChange((event.target as HTMLInputElement).value),
  };
  return <div class="labelled">
    <label class="labelled"><span>{label}</span>
      <span class={problem ? "field bad" : "field"}>
        {rows ? <textarea rows={rows} {...given} /> :
          <input class={isProse ? "" : "mono"} type={type} step={type === "datetime-local" ? 1 : undefined}
            inputMode={inputMode} {...given} />}
      </span>
    </label>
    {problem ? <span class="problem" role="alert">{problem}</span> : null}
  </div>;
}
