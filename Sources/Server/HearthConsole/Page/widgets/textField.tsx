import { h } from "preact";

interface TextFieldProps {
  label: JSX.Element | string;
  value: string;
  onChange: (value: string) => void;
  /** The problem with the value, shown below the field. */
  problem?: string | null;
  /** True for prose, in the proportional font; keys and values are in the monospaced one. */
  isProse?: boolean;
  /** The number of lines. */
  rows?: number;
  type?: string;
  inputMode?: string;
  placeholder?: string;
}

/** A field with its name, and its problem. */
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
