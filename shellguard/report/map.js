"use strict";
const svgNames = "http://www.w3.org/2000/svg";

function element(name, attributes) {
  const made = document.createElementNS(svgNames, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/* A line from the command to the place where its status counts or dies. */
function drawWay(box, command, sink) {
  const outer = box.getBoundingClientRect();
  const from = command.getBoundingClientRect();
  const to = sink.getBoundingClientRect();
  const at = (x, y) => [x - outer.left + box.scrollLeft, y - outer.top + box.scrollTop];
  const below = to.top > from.bottom - 2;
  const above = to.bottom < from.top + 2;
  const [startX, startY] = at(from.left + from.width / 2, above ? from.top : from.bottom);
  const [endX, endY] = at(to.left, below ? to.top : to.bottom);
  const bend = below ? Math.max(18, (endY - startY) / 2) : above ? -Math.max(18, (startY - endY) / 2) : 22;
  const way = element("svg", { class: "way " + command.dataset.fate, "aria-hidden": "true" });
  const last = below || above ? endY - bend : endY + bend;
  way.append(element("path", { d: `M${startX} ${startY} C${startX} ${startY + bend} ${endX} ${last} ${endX} ${endY}` }));
  const tip = below ? -7 : 7;
  way.append(element("path", { class: "head", d: `M${endX} ${endY} l-4 ${tip} h8 z` }));
  box.append(way);
}

function forget(box) {
  for (const way of box.querySelectorAll("svg.way")) way.remove();
  for (const marked of box.querySelectorAll(".on")) marked.classList.remove("on");
}

function tell(script, command) {
  const box = script.querySelector(".code");
  forget(box);
  command.classList.add("on");
  const sink = command.dataset.sink && document.getElementById(command.dataset.sink);
  if (sink) {
    sink.classList.add("on");
    drawWay(box, command, sink);
  }
  script.querySelector(".say").textContent = command.dataset.say;
}

for (const script of document.querySelectorAll("section.script")) {
  for (const command of script.querySelectorAll(".c")) {
    command.addEventListener("mouseenter", () => tell(script, command));
    command.addEventListener("focus", () => tell(script, command));
  }
  script.querySelector(".code").addEventListener("mouseleave", (event) => forget(event.currentTarget));
  for (const choice of script.querySelectorAll(".chips input")) {
    choice.addEventListener("change", () => {
      for (const item of script.querySelectorAll(`.why li.${choice.value}, tr.is-${choice.value}`)) {
        item.classList.toggle("hidden", !choice.checked && item.tagName === "LI");
        item.style.opacity = choice.checked ? "" : "0.35";
      }
    });
  }
}
