  // The picture on its canvas. Small fabrics show all routers, large ones blocks that open.
  function pictureOf(fabric, loads, runs, state, canvas) {
    const [ALL, BLOCKS] = [700, 160];
    const { head, links } = fabric;
    const points = Array.from({ length: fabric.routers }, (_, router) => [head.points[2 * router], head.points[2 * router + 1]]);
    const size = fabric.routers <= ALL ? 1 : head.block * Math.ceil(fabric.routers / head.block / BLOCKS);
    const blocks = Math.ceil(fabric.routers / size);
    const blockOf = (router) => Math.floor(router / size);
    const middle = (list) => [0, 1].map((axis) => list.reduce((sum, point) => sum + point[axis], 0) / list.length);
    const centers = size === 1 ? points : Array.from({ length: blocks }, (_, block) => middle(points.slice(block * size, (block + 1) * size)));
    const bundles = new Map();
    if (size > 1) {
      links.forEach((link) => {
        const [a, b] = [blockOf(link.a), blockOf(link.b)].sort((one, other) => one - other);
        if (a !== b) bundles.set(a * blocks + b, [...(bundles.get(a * blocks + b) || []), link.index]);
      });
    }
    const context = canvas.getContext("2d");
    const view = { scale: 1, x: 0, y: 0 };
    const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const measured = loads.filter(Boolean);
    let range = [Infinity, 0];
    // Listed routers stand for their images, whose channels carry the same and are dark together.
    measured.forEach((one) => one.orbits.nodes.forEach((router) => fabric.channelsFrom(router).forEach((channel) => {
      if (isDark(links[channel >> 1], head.scenarios[one.index].dark)) return;
      const load = one.of(channel);
      range = [Math.min(range[0], load), Math.max(range[1], load)];
    })));
    const loadOf = (link, which = state.scenario) => (loads[which] ? Math.max(loads[which].of(2 * link), links[link].simplex ? 0 : loads[which].of(2 * link + 1)) : 0);
    const changeOf = (link) => (loads[state.scenario] && loads[0] ? loadOf(link) - loadOf(link, 0) : 0);
    // Colors by kind: the group of the switch that a link goes through, or its type.
    const kindOf = (link) => (links[link].switch >= 0 ? head.switches[links[link].switch].split("[")[0] : links[link].type);
    const kinds = Array.from(new Set(links.map((link) => kindOf(link.index)))).sort();
    const kindColor = (kind) => `hsl(${(210 + (360 * kinds.indexOf(kind)) / kinds.length) % 360} 62% ${night() ? "62%" : "42%"})`;
    // The run of a simulation that is drawn, and which of its two values. `null` for other colors.
    const drawnRun = () => {
      const [, which, name] = state.color.match(/^(tables|measured) (.*)$/) || [];
      const run = runs.find((one) => one.name === name && one.scenario === state.scenario);
      return which ? { run, of: (link) => (run ? Math.max(...(links[link].simplex ? [0] : [0, 1]).map((way) => run.of(2 * link + way, which === "measured" ? 1 : 0))) : 0) } : null;
    };
    // From 0 to 1, or from -1 to 1 for a change.
    function strength(list) {
      if (!measured.length) return 0;
      const drawn = drawnRun();
      if (drawn) return Math.max(...list.map(drawn.of));
      if (state.color === "change") {
        const span = Math.max(1e-9, (range[1] - range[0]) / 2);
        const changes = list.map((link) => changeOf(link));
        return Math.max(-1, Math.min(1, changes.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one), 0) / span));
      }
      return range[1] > range[0] ? (Math.max(...list.map((link) => loadOf(link))) - range[0]) / (range[1] - range[0]) : 0.5;
    }
    const dark = (link) => {
      const { dark: fault } = head.scenarios[state.scenario];
      return isDark(links[link], fault);
    };
    const hue = (t) => `hsl(${t < 0 ? 205 : 210 - 205 * t} ${30 + 55 * Math.abs(t)}% var)`;
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const night = () => scheme.matches;
    const shade = (t) => hue(t).replace("var", night() ? `${42 + 20 * Math.abs(t)}%` : `${70 - 26 * Math.abs(t)}%`);

    const corner = () => {
      const shown = state.opened >= 0 ? points.slice(state.opened * size, (state.opened + 1) * size) : points;
      const [xs, ys] = [0, 1].map((axis) => shown.map((point) => point[axis]));
      const spread = (list) => [list.reduce((one, other) => Math.min(one, other)), list.reduce((one, other) => Math.max(one, other))];
      return [spread(xs), spread(ys)];
    };
    function fit() {
      const [[left, right], [top, bottom]] = corner();
      // A wide picture needs no tall stage.
      if (state.opened < 0) canvas.style.height = `min(${Math.round(Math.max(240, (canvas.clientWidth - 68) * Math.max(0.1, (bottom - top) / Math.max(1, right - left)) + 76))}px, 640px, 74vh)`;
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      const margin = state.opened >= 0 ? 90 : 34;
      view.scale = Math.min((width - 2 * margin) / Math.max(1, right - left), (height - 2 * margin) / Math.max(1, bottom - top), 3);
      view.x = width / 2 - (view.scale * (left + right)) / 2;
      view.y = height / 2 - (view.scale * (top + bottom)) / 2;
      draw();
    }
    const at = ([x, y]) => [view.x + view.scale * x, view.y + view.scale * y];
    const spot = (router) => (size > 1 && blockOf(router) !== state.opened ? at(centers[blockOf(router)]) : at(points[router]));

    // A straight line, or a bow around the routers between two ends along an axis.
    function bowOf(a, b) {
      if (!head.near) return null;
      const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
      const long = Math.hypot(dx, dy);
      const upright = Math.abs(dx) < 0.02 * long;
      const along = upright || Math.abs(dy) < 0.02 * long || (Math.abs(dy / dx) > 0.6 && Math.abs(dy / dx) < 0.8);
      if (!along || long < head.near[upright ? 1 : 0] * view.scale) return null;
      const bend = Math.min(0.16 * long, 26 * Math.sqrt(view.scale) + 0.05 * long);
      return [(a[0] + b[0]) / 2 + (dy / long) * bend, (a[1] + b[1]) / 2 - (dx / long) * bend];
    }
    function stroke(a, b, style, width, dash = []) {
      context.beginPath();
      context.setLineDash(dash);
      context.strokeStyle = style;
      context.lineWidth = width;
      context.moveTo(...a);
      const bow = bowOf(a, b);
      if (bow) context.quadraticCurveTo(...bow, ...b);
      else context.lineTo(...b);
      context.stroke();
      context.setLineDash([]);
    }
    // What is drawn as lines: links, or bundles of them between two blocks.
    function lines() {
      if (size === 1) return links.map((link) => ({ list: [link.index], a: link.a, b: link.b }));
      const shown = Array.from(bundles.values(), (list) => ({ list, a: links[list[0]].a, b: links[list[0]].b }));
      if (state.opened < 0) return shown;
      const inside = links.filter((link) => blockOf(link.a) === state.opened || blockOf(link.b) === state.opened);
      return inside.map((link) => ({ list: [link.index], a: link.a, b: link.b }));
    }
    let queued = false;
    function draw() {
      if (queued) return;
      queued = true;
      requestAnimationFrame(() => { queued = false; paint(); });
    }
    function paint() {
      const ratio = devicePixelRatio || 1;
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
      }
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      const drawn = lines().map((line) => ({ ...line, t: strength(line.list), off: line.list.every((link) => dark(link)) }));
      drawn.sort((one, other) => Math.abs(one.t) - Math.abs(other.t));
      const onRoute = new Set(state.route.map(([, channel]) => channel >> 1));
      const faint = onRoute.size + state.busy.size > 0 ? 0.28 : drawn.length > 3000 ? 0.5 : 0.85;
      for (const line of drawn) {
        context.globalAlpha = line.off ? 0.8 : faint;
        const thick = (measured.length ? 0.8 + 1.6 * Math.abs(line.t) : 1.1) * Math.min(1.4, Math.max(0.6, view.scale)) * Math.max(0.45, Math.min(1, Math.sqrt(500 / drawn.length))) + Math.min(3, (line.list.length - 1) / 24);
        stroke(spot(line.a), spot(line.b), line.off ? color("--edge") : state.color === "kind" || !measured.length ? kindColor(kindOf(line.list[0])) : shade(line.t), line.off ? 1.4 : thick, line.off ? [3, 4] : []);
      }
      context.globalAlpha = 1;
      state.busy.forEach((link) => stroke(spot(links[link].a), spot(links[link].b), color("--second"), 2.6));
      onRoute.forEach((link) => stroke(spot(links[link].a), spot(links[link].b), color("--bad"), 3.2));
      if (state.link >= 0) stroke(spot(links[state.link].a), spot(links[state.link].b), color("--ink"), 4);
      const radius = Math.max(1.6, Math.min(7, 5.5 * view.scale));
      const dead = head.scenarios[state.scenario].dark?.router;
      const circle = ([x, y], r, fill, edge) => {
        context.beginPath();
        context.arc(x, y, r, 0, 7);
        context.fillStyle = fill;
        context.fill();
        if (edge) { context.strokeStyle = edge; context.lineWidth = 2; context.stroke(); }
      };
      if (size > 1) {
        centers.forEach((center, block) => {
          if (block === state.opened) return;
          circle(at(center), Math.max(5, Math.min(16, 12 * Math.sqrt(view.scale))), color("--left"), color("--chip"));
        });
      }
      const visible = size === 1 ? points.map((_, router) => router) : state.opened >= 0 ? points.map((_, router) => router).slice(state.opened * size, (state.opened + 1) * size) : [];
      visible.forEach((router) => circle(spot(router), radius, router === dead ? color("--bad") : fabric.hosts(router) > 0 ? color("--accent") : color("--panel"), fabric.hosts(router) > 0 ? null : color("--accent")));
      [[state.router, "--ink"], [state.from, "--good"], [state.to, "--bad"]].forEach(([router, edge]) => {
        if (router >= 0) circle(spot(router), radius + 3, color("--panel"), color(edge));
      });
      context.fillStyle = color("--ink");
      context.font = "600 12px system-ui, sans-serif";
      context.textAlign = "center";
      const label = (text, [x, y]) => { context.lineWidth = 4; context.strokeStyle = color("--panel"); context.strokeText(text, x, y); context.fillText(text, x, y); };
      [state.router, state.from, state.to].forEach((router) => { if (router >= 0) label(fabric.names[router], [spot(router)[0], spot(router)[1] - 12]); });
      if (size > 1 && blocks <= 64) centers.forEach((center, block) => { if (block !== state.opened) label(String(block), [at(center)[0], at(center)[1] + 4]); });
      const key = document.getElementById("stage-kinds");
      const byKind = state.color === "kind" || !measured.length;
      if (byKind) {
        key.replaceChildren(...kinds.map((kind) => {
          const item = Object.assign(document.createElement("span"), { textContent: kind });
          const mark = Object.assign(document.createElement("i"), { className: "line" });
          mark.style.background = kindColor(kind);
          item.prepend(mark);
          return item;
        }));
      }
      key.hidden = !byKind;
      if (measured.length) {
        document.getElementById("stage-loads").hidden = byKind;
        const run = drawnRun();
        document.getElementById("stage-word").textContent = run ? `% of cycles, busier channel${run.run ? `, ${run.run.at}` : ": no run of this scenario is in this page"}` : "load of the busier channel";
        const span = run ? [0, 100] : state.color === "change" ? [-(range[1] - range[0]) / 2, (range[1] - range[0]) / 2] : range;
        document.getElementById("stage-low").textContent = Number(span[0].toPrecision(3)).toLocaleString("en-US");
        document.getElementById("stage-high").textContent = Number(span[1].toPrecision(3)).toLocaleString("en-US");
        document.getElementById("stage-scale").style.background = `linear-gradient(to right, ${(state.color === "change" ? [-1, -0.5, 0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]).map(shade).join(", ")})`;
      }
    }

    // What is under a point of the canvas: a router, a block or a link.
    function under(x, y) {
      let best = { far: 12 };
      const near = ([px, py], what) => { const far = Math.hypot(px - x, py - y); if (far < best.far) best = { far, ...what }; };
      const [first, last] = size === 1 ? [0, fabric.routers] : state.opened >= 0 ? [state.opened * size, Math.min(fabric.routers, (state.opened + 1) * size)] : [0, 0];
      for (let router = first; router < last; router += 1) near(spot(router), { router });
      if (best.router === undefined && size > 1) {
        best.far = 16;
        centers.forEach((center, block) => { if (block !== state.opened) near(at(center), { block }); });
      }
      if (best.router !== undefined || best.block !== undefined) return best;
      best = { far: 7 };
      for (const line of lines()) {
        const [a, b] = [spot(line.a), spot(line.b)];
        const bow = bowOf(a, b);
        for (let part = 0; part < (bow ? 8 : 1); part += 1) {
          const on = (t) => (bow ? [0, 1].map((k) => (1 - t) * (1 - t) * a[k] + 2 * t * (1 - t) * bow[k] + t * t * b[k]) : [0, 1].map((k) => a[k] + t * (b[k] - a[k])));
          const [p, q] = bow ? [on(part / 8), on((part + 1) / 8)] : [a, b];
          const [dx, dy] = [q[0] - p[0], q[1] - p[1]];
          const t = Math.max(0, Math.min(1, ((x - p[0]) * dx + (y - p[1]) * dy) / Math.max(1e-9, dx * dx + dy * dy)));
          near([p[0] + t * dx, p[1] + t * dy], { line });
        }
      }
      return best;
    }
    const tip = document.getElementById("stage-tip");
    const told = (load) => Number(load.toPrecision(5)).toLocaleString("en-US");
    function words(what) {
      if (what.router !== undefined) return fabric.names[what.router];
      if (what.block !== undefined) return `${head.blockWord} ${what.block}: ${size} ${head.word}s`;
      if (!what.line) return "";
      const { list, a, b } = what.line;
      if (list.length > 1) return `${head.blockWord} ${blockOf(a)} \u2013 ${blockOf(b)}: ${list.length} links${measured.length && !drawnRun() ? `, load at most ${told(Math.max(...list.map((link) => loadOf(link))))}` : ""}`;
      const link = links[list[0]];
      const own = loads[state.scenario];
      const drawn = drawnRun();
      if (drawn?.run) return `${fabric.names[link.a]}.${fabric.port(link.p)} \u2013 ${fabric.names[link.b]}.${fabric.port(link.q)}: ${(100 * drawn.of(list[0])).toPrecision(3)} % of cycles`;
      const both = own ? `: load ${(link.simplex ? [0] : [0, 1]).map((way) => told(own.of(2 * link.index + way))).join(" and ")}` : "";
      return `${fabric.names[link.a]}.${fabric.port(link.p)} \u2013 ${fabric.names[link.b]}.${fabric.port(link.q)}${both}`;
    }
    const place = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    let drag = null;
    canvas.addEventListener("pointerdown", (event) => { drag = { from: place(event), view: { ...view }, moved: false }; });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      if (drag && event.buttons) {
        drag.moved = drag.moved || Math.hypot(x - drag.from[0], y - drag.from[1]) > 5;
        if (drag.moved) { view.x = drag.view.x + x - drag.from[0]; view.y = drag.view.y + y - drag.from[1]; draw(); }
        return;
      }
      const text = words(under(x, y));
      tip.textContent = text;
      tip.hidden = text === "";
      tip.style.left = `${Math.max(0, Math.min(x + 14, canvas.clientWidth - tip.offsetWidth))}px`;
      tip.style.top = `${y + 16}px`;
    });
    canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
    canvas.addEventListener("click", (event) => {
      if (drag?.moved) { drag = null; return; }
      const what = under(...place(event));
      if (what.router !== undefined) api.picked(what.router);
      else if (what.block !== undefined) { state.opened = what.block; fit(); }
      else if (what.line && what.line.list.length === 1) api.linked(what.line.list[0]);
    });
    function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
      const scale = Math.max(0.02, Math.min(12, view.scale * factor));
      view.x = x - ((x - view.x) * scale) / view.scale;
      view.y = y - ((y - view.y) * scale) / view.scale;
      view.scale = scale;
      draw();
    }
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== canvas) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, ...place(event));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      if (arrows[event.key]) {
        const [dx, dy] = arrows[event.key];
        const start = state.router >= 0 ? state.router : 0;
        let best = [Infinity, start];
        if (size > 1 && state.opened < 0) state.opened = blockOf(start);
        const [first, last] = size === 1 ? [0, fabric.routers] : [state.opened * size, Math.min(fabric.routers, (state.opened + 1) * size)];
        for (let router = first; router < last; router += 1) {
          const [x, y] = [0, 1].map((axis) => points[router][axis] - points[start][axis]);
          const ahead = x * dx + y * dy;
          const aside = Math.abs(x * dy) + Math.abs(y * dx);
          if (ahead > 0 && ahead + 2 * aside < best[0]) best = [ahead + 2 * aside, router];
        }
        api.moved(state.router >= 0 ? best[1] : first);
      } else if (event.key === "Enter" && state.router >= 0) api.picked(state.router);
      else if (event.key === "+" || event.key === "=") zoom(1.25);
      else if (event.key === "-") zoom(0.8);
      else if (event.key === "Escape" || event.key === "0") { state.opened = -1; fit(); }
      else return;
      event.preventDefault();
    });
    document.getElementById("stage-in").addEventListener("click", () => zoom(1.3));
    document.getElementById("stage-out").addEventListener("click", () => zoom(1 / 1.3));
    document.getElementById("stage-all").addEventListener("click", () => { state.opened = -1; fit(); });
    new ResizeObserver(fit).observe(canvas);
    scheme.addEventListener("change", draw);
    const api = { draw, fit, picked() {}, linked() {}, moved() {} };
    // Where something stands on the canvas, and the loads of the scenario, for tests.
    canvas.placeOf = ({ router, link, block }) => (router !== undefined ? spot(router) : block !== undefined ? at(centers[block]) : [0, 1].map((k) => {
      const [a, b] = [spot(links[link].a), spot(links[link].b)];
      const bow = bowOf(a, b);
      return bow ? (a[k] + 2 * bow[k] + b[k]) / 4 : (a[k] + b[k]) / 2;
    }));
    canvas.channels = links.reduce((sum, link) => sum + (link.simplex ? 1 : 2), 0);
    canvas.runNow = () => links.flatMap((link) => (dark(link.index) || !drawnRun()?.run ? [] : [drawnRun().of(link.index)]));
    canvas.loadsNow = () => (loads[state.scenario] ? links.flatMap((link) => (dark(link.index) ? [] : (link.simplex ? [0] : [0, 1]).map((way) => loads[state.scenario].of(2 * link.index + way)))) : []);
    return api;
  }

  // Schedules over time on a canvas of their own: a row per channel, zoom around a moment, and the busy channels of
  // that moment on the picture.
  function ganttOf(fabric, jobs, state, stage) {
    const canvas = document.getElementById("gantt");
    const [choice, moment, told] = ["job", "moment", "moment-told"].map((id) => document.getElementById(id));
    const { head, radix } = fabric;
    const context = canvas.getContext("2d");
    const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    let [job, rows, from, to, now] = [jobs[0], new Map(), 0, 1, 0];
    const channelOf = ([, , router, port]) => fabric.outgoing[router * radix + port];
    function open(index) {
      job = jobs[index];
      rows = new Map(Array.from(new Set(job.events.map(channelOf))).sort((one, other) => one - other).map((channel, row) => [channel, row]));
      [from, to, now] = [0, Math.max(1, job.end), 0];
      moment.max = job.end;
      state.busy = new Set();
      [moment.value, told.textContent] = [0, `${grouped(job.end)} ${job.unit}`];
      stage.draw();
      paint();
    }
    // All channels that do what a listed one does.
    const images = (channel) => {
      if (!job.canonical || !head.symmetry) return [channel];
      const { size, elements } = head.symmetry;
      const [router, port] = fabric.source(channel);
      return elements.map((element) => fabric.outgoing[(element[Math.floor(router / size)] * size + (router % size)) * radix + port]);
    };
    function show(at) {
      now = Math.max(0, Math.min(job.end, at));
      moment.value = now;
      const busy = job.events.filter(([start, time]) => start <= now && now < start + time);
      state.busy = new Set(busy.flatMap((event) => images(channelOf(event))).map((channel) => channel >> 1));
      const count = job.canonical && head.symmetry ? busy.length * head.symmetry.elements.length : busy.length;
      told.textContent = `${grouped(now)} of ${grouped(job.end)} ${job.unit}: ${grouped(count)} channels busy`;
      stage.draw();
      paint();
    }
    function zoom(factor, around = now) {
      const span = Math.max(Math.min(job.end, 2), Math.min(job.end, (to - from) * factor));
      from = Math.max(0, Math.min(job.end - span, around - ((around - from) * span) / (to - from)));
      to = from + span;
      paint();
    }
    function paint() {
      const ratio = devicePixelRatio || 1;
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      const [scale, line] = [width / (to - from), (height - 18) / Math.max(1, rows.size)];
      context.fillStyle = color("--accent");
      for (const event of job.events) {
        const [start, time] = event;
        if (start > to) break;
        if (start + time < from) continue;
        const left = (start - from) * scale;
        context.fillRect(left, rows.get(channelOf(event)) * line, Math.max(0.7, time * scale - (time * scale > 4 ? 1 : 0)), Math.max(0.8, line - (line > 4 ? 1 : 0)));
      }
      context.fillStyle = color("--soft");
      context.font = "11px system-ui, sans-serif";
      for (let tick = 0; tick <= 4; tick += 1) {
        context.textAlign = tick === 0 ? "left" : tick === 4 ? "right" : "center";
        context.fillText(grouped(Math.round(from + ((to - from) * tick) / 4)), (width * tick) / 4, height - 4);
      }
      context.fillStyle = color("--bad");
      if (now >= from && now <= to) context.fillRect((now - from) * scale - 1, 0, 2, height - 16);
    }
    const timeAt = (event) => from + ((event.clientX - canvas.getBoundingClientRect().left) / canvas.clientWidth) * (to - from);
    canvas.addEventListener("click", (event) => show(Math.floor(timeAt(event))));
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== canvas) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? 0.8 : 1.25, timeAt(event));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const steps = job.events.map(([start]) => start);
      if (event.key === "ArrowRight") show(steps.find((start) => start > now) ?? job.end);
      else if (event.key === "ArrowLeft") show(steps.findLast((start) => start < now) ?? 0);
      else if (event.key === "+" || event.key === "=") zoom(0.6);
      else if (event.key === "-") zoom(1 / 0.6);
      else return;
      event.preventDefault();
    });
    document.getElementById("gantt-in").addEventListener("click", () => zoom(0.5));
    document.getElementById("gantt-out").addEventListener("click", () => zoom(2));
    moment.addEventListener("input", () => show(Number(moment.value)));
    jobs.forEach(({ name, title }, index) => choice.append(make("option", `${name}: ${title}`, { value: index })));
    choice.addEventListener("change", () => open(Number(choice.value)));
    new ResizeObserver(paint).observe(canvas);
    canvas.events = () => job.events;
    canvas.view = () => ({ from, to, now, rows: rows.size, busy: state.busy.size });
    open(0);
  }
})();
