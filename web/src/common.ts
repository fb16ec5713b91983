// What pages share. Each imports this, so that it all comes as one chunk.

import "./controls";
import "./dialog";
import "./dom";
import "./house";
import "./icons";
import "./opening";
import "./person";
import "./router";
import "./settings";
import "./socket";
import "./texts";
import "./toast";
import "./words";
