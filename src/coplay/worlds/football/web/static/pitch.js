// The pitch as a picture: what stands still the server drew; players and the ball glide to where the view says.
"use strict";
import { find } from "../dom.js";

const SVG = "http://www.w3.org/2000/svg";
const FAR = 4 * 256; // whoever is put elsewhere, at a kick-off, does not glide

function shape(tag, properties, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export class Pitch {
  // `about` is what the server wrote into the page; `parts` are the pictures of this match.
  static async open(about) {
    const answer = await fetch(`/play/${about.attempt}/pictures${about.watch ? "" : `?seat=${about.seat}`}`);
    if (!answer.ok) throw new Error(answer.statusText);
    return new Pitch(about, await answer.json());
  }

  constructor(about, parts) {
    this.about = about;
    this.parts = parts;
    const picture = new DOMParser().parseFromString(parts.picture, "image/svg+xml").documentElement;
    find("pitch").replaceChildren(document.importNode(picture, true));
    this.players = Array.from({ length: about.players }, (_, offset) => this.player(offset));
    this.ball = shape("circle", { id: "ball", r: 5, fill: "#ffffff", stroke: "#222222", "stroke-width": 1.5 });
    this.result = this.text({ id: "result", y: parts.top - 22, "font-size": 18, "font-weight": "bold", "text-anchor": "middle" });
    this.clock = this.text({ x: parts.right, y: parts.top - 22, "font-size": 13, "text-anchor": "end" });
    find("moving").replaceChildren(...this.players.map((one) => one.figure), this.ball, this.result, this.clock);
    this.drawn = null; // places on the screen now
    this.frame = null;
  }

  // Players count from ours, who has a ring.
  player(offset) {
    const seat = (this.about.seat + offset) % this.about.players;
    const nose = shape("use", { href: "#w0" });
    const ring = shape("circle", { r: 15, fill: "none", stroke: "#ffd166", "stroke-width": offset === 0 && !this.about.watch ? 3 : 0 });
    const figure = shape("g", { "data-seat": seat }, nose, ring, shape("use", { href: `#p${seat}` }));
    return { figure, nose };
  }

  text(properties) {
    return shape("text", { fill: "#22303a", ...properties });
  }

  // Shows a view; whoever moved is there after so many milliseconds.
  show(view, glide) {
    const last = this.about.seat % 2 === 0 ? view.goals : [...view.goals].reverse();
    this.result.textContent = `${this.about.teams[0]} ${last[0]} : ${last[1]} ${this.about.teams[1]}`;
    this.clock.textContent = view.time === 0 ? "line-up" : view.time <= this.about.half ? "first half" : "second half";
    this.players.forEach(({ figure, nose }, offset) => {
      figure.style.display = view.seen[offset] ? "" : "none";
      nose.setAttribute("href", `#w${view.way[offset]}`);
    });
    this.ball.style.display = view.ball_seen ? "" : "none";
    const goal = [...view.x.map((x, offset) => [x, view.y[offset]]), [view.ball_x, view.ball_y]];
    this.glide(this.drawn ?? goal, goal, glide);
  }

  glide(from, goal, long) {
    cancelAnimationFrame(this.frame);
    const near = from.map(([x, y], number) => Math.abs(x - goal[number][0]) + Math.abs(y - goal[number][1]) < FAR);
    const begun = performance.now();
    const step = (now) => {
      const share = long > 0 ? Math.min((now - begun) / long, 1) : 1;
      this.drawn = goal.map(([x, y], number) => {
        const [left, top] = near[number] ? from[number] : [x, y];
        return [left + (x - left) * share, top + (y - top) * share];
      });
      this.place();
      if (share < 1) this.frame = requestAnimationFrame(step);
    };
    step(begun);
  }

  place() {
    const pieces = [...this.players.map((one) => one.figure), this.ball];
    this.drawn.forEach(([x, y], number) => {
      pieces[number].setAttribute("transform", `translate(${x * this.parts.scale} ${y * this.parts.scale})`);
    });
  }
}
