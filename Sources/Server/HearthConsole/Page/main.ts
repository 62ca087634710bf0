import "./style/console.css";
import { mount } from "./mount";
import { applyTheme } from "./shell/theme";

applyTheme();
mount(document.getElementById("app")!);
