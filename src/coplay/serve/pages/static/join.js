// The key of an invitation is behind the #; it is sent with the form, and only then.
"use strict";
import { find } from "./dom.js";

const key = location.hash.slice(1);
find("invitation").value = key;
find("problem").hidden = key !== "";
find("join").hidden = key === "";
