// The form shows the partners of the game that is chosen: a change of the game loads it anew. How people play together
// is asked where people are invited.
"use strict";
const form = document.getElementById("choose");
form.addEventListener("change", () => form.submit());
const together = document.getElementById("together");
const partners = [...document.querySelectorAll("[name=partner]")];
const show = () => { together.hidden = !partners.some((one) => one.value === "person"); };
for (const one of partners) one.addEventListener("change", show);
show();
