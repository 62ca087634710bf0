export function NowView() { return null as unknown as JSX.Element; }
