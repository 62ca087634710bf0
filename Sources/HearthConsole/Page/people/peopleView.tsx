export function PeopleView() { return null as unknown as JSX.Element; }
