// The form shows the partners of the game that is chosen: a change of the game loads it anew.
"use strict";
const form = document.getElementById("choose");
form.addEventListener("change", () => form.submit());
