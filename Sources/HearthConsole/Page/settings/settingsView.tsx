export function SettingsView() { return null as unknown as JSX.Element; }
