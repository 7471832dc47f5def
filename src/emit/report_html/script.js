"use strict";
(() => {
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
  document.documentElement.classList.add("js");

  // Headings of sortable tables become buttons: numbers start with the largest, words with the first.
  const shown = (row, column) => row.cells[column].textContent.trim();
  const number = (text) => (/^[-+]?[\d,.]+/.test(text) ? parseFloat(text.replace(/,/g, "")) : NaN);
  const compare = (a, b) => (Number.isNaN(number(a)) || Number.isNaN(number(b)) ? a.localeCompare(b, "en", { numeric: true }) : number(a) - number(b));
  for (const table of all("table.sortable")) {
    const heads = all("thead th", table);
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const rows = Array.from(table.tBodies[0].rows);
        const first = head.classList.contains("number") ? "descending" : "ascending";
        const other = { ascending: "descending", descending: "ascending" };
        const order = other[head.getAttribute("aria-sort")] || first;
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        rows.sort((a, b) => sign * compare(shown(a, column), shown(b, column)));
        table.tBodies[0].append(...rows);
      });
    });
  }

  // The list of faults: rows that have all the words.
  const faults = document.getElementById("find-fault");
  if (faults) {
    const rows = Array.from(document.getElementById("all-faults").tBodies[0].rows);
    const told = document.getElementById("found-faults");
    const filter = () => {
      const wanted = words(faults.value);
      rows.forEach((row) => { row.hidden = !wanted.every((word) => row.textContent.toLowerCase().includes(word)); });
      told.textContent = wanted.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} listed` : "";
    };
    faults.addEventListener("input", filter);
    all("a[href^='#fault-']").forEach((link) => link.addEventListener("click", () => { faults.value = ""; filter(); }));
  }

  // The list of switch settings: a cross-connect is found by its switch, its faces, its cubes and its ports.
  const settings = document.getElementById("find-setting");
  if (settings) {
    const table = document.getElementById("all-settings");
    const told = document.getElementById("found-settings");
    const rows = Array.from(table.tBodies[0].rows).map((row) => {
      const [name, faces] = [shown(row, 0), shown(row, 1)].map((text) => text.toLowerCase());
      const connects = all("i", row).map((element) => {
        const [ends, ...crossings] = element.textContent.toLowerCase().split(" ");
        const cubes = ends.split("\u2013").map((end) => `cube${parseInt(end.replace("cube", ""), 10)}`);
        const ports = crossings.flatMap((crossing) => crossing.split("-"));
        const named = [...cubes, ...ports.map((port) => `port${parseInt(port, 10)}`)];
        return { element, ends, exact: [...ports, ...named, ...named.map((each) => each.slice(4))] };
      });
      return { row, name, faces, connects };
    });
    const filter = () => {
      const wanted = words(settings.value.replace(/\b(cube|port)\s+(\d+)/gi, "$1$2"));
      let [found, switches] = [0, 0];
      table.parentElement.classList.toggle("filtering", wanted.length > 0);
      for (const { row, name, faces, connects } of rows) {
        let hits = 0;
        for (const { element, ends, exact } of connects) {
          const within = (word) => name.includes(word) || faces.includes(word) || ends.includes(word);
          const hit = wanted.every((word) => (/^(cube|port)?\d+[ab]?$/.test(word) ? exact.includes(word) : within(word)));
          element.classList.toggle("hit", wanted.length > 0 && hit);
          hits += hit;
        }
        row.hidden = hits === 0 && wanted.length > 0;
        found += hits;
        switches += hits > 0;
      }
      told.textContent = wanted.length ? `${found} cross-connects on ${switches} switches` : "";
    };
    settings.addEventListener("input", filter);
  }

  // One cube, group or router picked out wherever it stands.
  const pick = document.getElementById("pick");
  if (pick) {
    const scene = document.getElementById("joined");
    const mark = () => {
      const item = pick.value;
      scene.classList.toggle("picking", item !== "");
      all("[data-ends]").forEach((element) => {
        element.classList.toggle("on", item !== "" && element.dataset.ends.split(" ").includes(item));
      });
      all("table[data-items]").forEach((table) => {
        const column = item === "" ? -1 : Number(item);
        for (const row of table.rows) {
          Array.from(row.cells).forEach((cell, at) => cell.classList.toggle("on", column >= 0 && at === column + 1));
        }
      });
      all("#joined tr.on").forEach((row) => row.scrollIntoView({ block: "nearest" }));
    };
    pick.addEventListener("change", mark);
  }

  // The ranks of a job: the chip under the pointer or of the typed rank, framed with its group along the axis
  // of the colors. Names come from the table, edges of cells from the drawing.
  for (const map of all("fieldset.ranks")) {
    const svg = map.querySelector("svg.ranks");
    const typed = map.querySelector("input[type=number]");
    const told = map.querySelector("output");
    const colors = all("input[type=radio]", map);
    const ranks = svg.dataset.ranks.split(" ").map(Number);
    const edges = Array.from(svg.querySelector(".cells").getAttribute("d").matchAll(/M(\d+) (\d+)/g), ([, left, middle]) => [Number(left), Number(middle) - 10]);
    const edgesOf = new Map(ranks.map((rank, chip) => [rank, edges[chip]]));
    const rankAt = new Map(ranks.map((rank, chip) => [String(edges[chip]), rank]));
    const names = all("tbody i", map).map((item) => item.textContent);
    let stride = 1;
    const axes = map.dataset.axes.split(",").map((text) => {
      const [name, size] = text.split(" ");
      const axis = { name, size: Number(size), stride };
      stride *= axis.size;
      return axis;
    });
    const frame = document.createElementNS(svg.namespaceURI, "path");
    frame.setAttribute("class", "group");
    const one = frame.cloneNode();
    one.setAttribute("class", "one");
    svg.append(frame, one);
    const at = (axis, rank) => Math.floor(rank / axis.stride) % axis.size;
    const outline = (rank) => { const [left, top] = edgesOf.get(rank); return `M${left} ${top + 0.5}h19v19h-19z`; };
    const nothing = told.textContent;
    const show = (rank) => {
      const axis = axes[colors.findIndex((color) => color.checked)];
      if (!edgesOf.has(rank)) {
        [frame, one].forEach((path) => path.setAttribute("d", ""));
        told.textContent = nothing;
        return;
      }
      const first = rank - at(axis, rank) * axis.stride;
      const group = Array.from({ length: axis.size }, (_, place) => first + place * axis.stride);
      frame.setAttribute("d", group.map(outline).join(""));
      one.setAttribute("d", outline(rank));
      told.textContent = `rank ${rank}, ${map.dataset.word} ${names[rank]}: ${axes.map((each) => `${each.name} ${at(each, rank)}`).join(", ")}. Framed: its ${axis.name} group of ${axis.size}.`;
    };
    const chosen = () => (typed.value === "" ? -1 : Number(typed.value));
    const under = (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const hit = edges.find(([left, top]) => point.x >= left && point.x < left + 20 && point.y >= top && point.y < top + 20);
      return hit ? rankAt.get(String(hit)) : -1;
    };
    typed.addEventListener("input", () => show(chosen()));
    colors.forEach((color) => color.addEventListener("change", () => show(chosen())));
    svg.addEventListener("pointermove", (event) => { const rank = under(event); show(rank < 0 ? chosen() : rank); });
    svg.addEventListener("pointerleave", () => show(chosen()));
    svg.addEventListener("click", (event) => { const rank = under(event); typed.value = rank < 0 ? "" : rank; show(rank); });
  }
})();
