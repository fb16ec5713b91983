// Where the page starts: the language, the frame around every page, and which page it is.

import "./common";
import { mountFrame } from "./frame";
import { start } from "./router";
import { onChange, settings, theme } from "./settings";
import { keepReady, present } from "./socket";
import { speak } from "./texts";

function dress(): void {
  const { size, motion } = settings();
  const root = document.documentElement;
  root.dataset["theme"] = theme();
  root.dataset["size"] = size;
  root.dataset["motion"] = motion;
  present({ theme: theme(), language: settings().language });
}

async function open(): Promise<void> {
  const page = document.getElementById("page")!;
  dress();
  await speak(settings().language).catch(() => undefined); // English, if the texts do not come
  const show = (): void => start(mountFrame(page));
  show();
  let spoken = settings().language;
  onChange(async (now) => {
    dress();
    if (now.language === spoken) return;
    spoken = now.language;
    await speak(spoken);
    show();
  });
  keepReady();
}

void open();
