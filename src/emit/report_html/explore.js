"use strict";
// The explorer of the page: a picture of the fabric with the loads of its channels, routes of two routers, and
// faults. Everything comes from the block of data in the page (`explore/mod.rs` writes it).
(() => {
  const block = document.getElementById("explorer-data");
  const root = document.getElementById("explorer");
  if (!block || !root) return;
  if (typeof DecompressionStream === "undefined") {
    document.querySelectorAll("#explore .no-js").forEach((line) => { line.style.display = "block"; });
    return;
  }
  const byId = (id) => document.getElementById(id);
  const make = (name, text, properties = {}) => Object.assign(document.createElement(name), { textContent: text }, properties);
  const grouped = (number) => number.toLocaleString("en-US");

  async function read() {
    const packed = Uint8Array.from(atob(block.textContent.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const length = new DataView(bytes.buffer).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    let at = 4 + length;
    const next = () => {
      let [value, factor] = [0, 1];
      for (;;) {
        const byte = bytes[at++];
        value += (byte & 127) * factor;
        if (byte < 128) return value;
        factor *= 128;
      }
    };
    return { head, next };
  }

  // The fabric: routers, channels and the symmetry that carries loads and tables. Channel 2 k runs along link k
  // from its end a, channel 2 k + 1 from its end b.
  function fabricOf(head) {
    const names = head.names.split("\n");
    const routers = names.length;
    const at = (list, index) => (Array.isArray(list) ? list[index] : list ?? 0);
    const { links: columns, radix } = head;
    let a = 0;
    const links = columns.a.map((step, index) => {
      a += step;
      return {
        index, a, b: a + columns.b[index], p: columns.p[index], q: columns.q[index],
        type: head.types[at(columns.type, index)], global: at(columns.global, index) === 1, simplex: at(columns.simplex, index) === 1,
        switch: at(columns.switch, index) - 1, length: columns.length && columns.length[index], cycles: at(columns.cycles, index),
      };
    });
    const outgoing = new Int32Array(routers * radix).fill(-1);
    links.forEach((link) => {
      outgoing[link.a * radix + link.p] = 2 * link.index;
      if (!link.simplex) outgoing[link.b * radix + link.q] = 2 * link.index + 1;
    });
    const channelsFrom = (router) => Array.from(outgoing.subarray(router * radix, (router + 1) * radix)).filter((channel) => channel >= 0);
    const source = (channel) => { const link = links[channel >> 1]; return channel & 1 ? [link.b, link.q] : [link.a, link.p]; };
    const target = (channel) => source(channel ^ 1);
    const port = (number) => (head.ports ? head.ports[number] : `port${number}`);
    const channelName = (channel) => `${names[source(channel)[0]]}.${port(source(channel)[1])} \u2192 ${names[target(channel)[0]]}`;
    const cycles = (channel) => links[channel >> 1].cycles + at(head.cycles, source(channel)[0]);
    const numbers = new Map(names.map((name, router) => [name, router]));
    const find = (text) => {
      const name = text.replace(/\s+/g, "");
      if (numbers.has(text.trim())) return numbers.get(text.trim());
      if (numbers.has(name)) return numbers.get(name);
      return /^\d+$/.test(name) && Number(name) < routers ? Number(name) : -1;
    };
    return { head, names, routers, radix, links, outgoing, channelsFrom, source, target, port, channelName, cycles, find, hosts: (router) => at(head.hosts, router) };
  }

  // Orbits of the symmetry: the class of a router, and the image of a router under an element.
  function orbitsOf(head, routers, kept) {
    const size = kept && head.symmetry ? head.symmetry.size : routers;
    const elements = kept && head.symmetry ? head.symmetry.elements : [[0]];
    const home = [];
    const canonical = [];
    for (let block = 0; block < elements[0].length; block += 1) {
      if (home[block]) continue;
      elements.forEach((element, g) => { home[element[block]] = [canonical.length, g]; });
      canonical.push(block);
    }
    const inverse = elements.map((g) => elements.findIndex((h) => h[g[0]] === 0));
    const image = (g, router) => elements[g][Math.floor(router / size)] * size + (router % size);
    const nodes = canonical.flatMap((block) => Array.from({ length: size }, (_, local) => block * size + local));
    return { nodes, class: (router) => home[Math.floor(router / size)][0] * size + (router % size), back: (router, other) => image(inverse[home[Math.floor(router / size)][1]], other) };
  }

  // The loads of every scenario that has them, as parts of a unit by class and port.
  function readLoads(fabric, next) {
    const { head, radix } = fabric;
    return head.scenarios.map((scenario, index) => {
      if (scenario.loads === null) return null;
      const orbits = orbitsOf(head, fabric.routers, scenario.loads === 1);
      return { orbits, parts: scenario.parts, values: new Float64Array(orbits.nodes.length * radix), index };
    }).map((loads, index, all) => {
      if (!loads) return null;
      const of = (channel) => { const [router, port] = fabric.source(channel); return loads.values[loads.orbits.class(router) * radix + port]; };
      loads.parted = of;
      loads.of = (channel) => of(channel) / loads.parts;
      loads.orbits.nodes.forEach((router) => fabric.channelsFrom(router).forEach((channel) => {
        const value = next();
        const change = value % 2 ? -(value + 1) / 2 : value / 2;
        loads.values[loads.orbits.class(router) * radix + fabric.source(channel)[1]] = index === 0 ? value : all[0].parted(channel) + change;
      }));
      return loads;
    });
  }

  // The tables of every scenario that has them: what a router does with packets of its own, and the inputs that
  // do otherwise.
  function readTables(fabric, next) {
    const { head, routers } = fabric;
    if (head.groups) {
      let group = 0;
      return head.scenarios.map((scenario) => (scenario.tables === null ? null : head.groups[group++]));
    }
    const none = radixOutputs(head);
    let healthy = null;
    return head.scenarios.map((scenario) => {
      if (scenario.tables === null) return null;
      const orbits = orbitsOf(head, routers, scenario.tables === 1);
      const cells = orbits.nodes.length * routers;
      const outputs = new Uint32Array(cells);
      const place = (router, to) => orbits.class(router) * routers + orbits.back(router, to);
      for (let cell = 0; cell < cells; cell += 1) {
        const before = healthy ? healthy.injected(orbits.nodes[Math.floor(cell / routers)], cell % routers) : 0;
        outputs[cell] = (next() + before) % (none + 1);
      }
      const starts = new Uint32Array(cells + 1);
      for (let cell = 0; cell < cells; cell += 1) starts[cell + 1] = starts[cell] + next();
      const others = Float64Array.from({ length: starts[cells] }, next);
      const table = {
        injected: (router, to) => outputs[place(router, to)],
        output: (router, to, input) => {
          const cell = place(router, to);
          if (input >= 0 && !head.byDestination) {
            for (let k = starts[cell]; k < starts[cell + 1]; k += 1) if (Math.floor(others[k] / none) === input) return others[k] % none;
          }
          return outputs[cell];
        },
      };
      healthy = healthy || table;
      return table;
    });
  }
  // The schedules: [start, time, router, port] of every event, by start.
  function readJobs(head, next) {
    return head.jobs.map((job) => {
      let start = 0;
      return { ...job, events: Array.from({ length: job.events }, () => { start += next(); return [start, next(), next(), next()]; }) };
    });
  }
  // What simulations measured: the utilization of every channel by the tables and as it was, from 0 to 1.
  function readRuns(fabric, next) {
    const { head, radix, routers } = fabric;
    return head.runs.map((run) => {
      const orbits = orbitsOf(head, routers, run.canonical === 1);
      const values = [0, 1].map(() => new Float64Array(orbits.nodes.length * radix));
      const place = (channel) => { const [router, port] = fabric.source(channel); return orbits.class(router) * radix + port; };
      orbits.nodes.forEach((router) => fabric.channelsFrom(router).forEach((channel) => values.forEach((list) => { list[place(channel)] = next() / 1e4; })));
      return { ...run, of: (channel, which) => values[which][place(channel)] };
    });
  }
  const radixOutputs = (head) => head.radix * head.vcs;

  const isDark = (link, dark) => dark !== null && (dark.switches ? dark.switches.includes(link.switch) : dark.link === link.index || dark.router === link.a || dark.router === link.b);

  // The hops of a pair, as `fabc route` prints them: [hop, channel, vc, share]. `null` if there are none.
  function routeOf(fabric, table, from, to) {
    const { head, radix } = fabric;
    const hops = [];
    if (head.groups) {
      const relays = new Map();
      for (let k = 0; k < table.relays.length; k += 3) relays.set(`${table.relays[k]} ${table.relays[k + 1]}`, table.relays[k + 2]);
      let hop = 0;
      for (let start = from; start !== to && hop < 999; ) {
        const leg = relays.get(`${start} ${to}`) ?? to;
        let front = new Map([[start, 1]]);
        while (front.size > 0 && hop < 999) {
          hop += 1;
          const reached = new Map();
          const channels = [];
          for (const [router, share] of front) {
            const entries = table.entries[router];
            let group = -1;
            for (let k = 0; k < entries.length; k += 3) if (entries[k] <= leg && leg <= entries[k + 1]) group = entries[k + 2];
            if (group < 0) return null;
            const ports = table.groups[group];
            const weights = table.weights && table.weights[group].length ? table.weights[group] : ports.map(() => 1);
            const sum = weights.reduce((one, other) => one + other, 0);
            ports.forEach((port, k) => {
              const channel = fabric.outgoing[router * radix + port];
              const part = (share * weights[k]) / sum;
              channels.push([hop, channel, 0, part]);
              const end = fabric.target(channel)[0];
              if (end !== leg) reached.set(end, (reached.get(end) || 0) + part);
            });
          }
          hops.push(...channels.sort((one, other) => one[1] - other[1]));
          front = reached;
        }
        start = leg;
      }
      return hops;
    }
    let [router, input, counted] = [from, -1, 0];
    while (router !== to && hops.length < 9999) {
      const output = table.output(router, to, input);
      if (output === radixOutputs(head)) return null;
      const channel = fabric.outgoing[router * radix + Math.floor(output / head.vcs)];
      const vc = head.count ? counted : output % head.vcs;
      counted += head.count === "hop" || (head.count === "global" && fabric.links[channel >> 1].global) ? 1 : 0;
      hops.push([hops.length + 1, channel, vc, 1]);
      const [end, port] = fabric.target(channel);
      [router, input] = [end, port * head.vcs + vc];
    }
    return hops;
  }

  function distanceOf(fabric, dark, from, to) {
    const seen = new Uint8Array(fabric.routers);
    seen[from] = 1;
    for (let [front, hops] = [[from], 0]; front.length; hops += 1) {
      if (front.includes(to)) return hops;
      const reached = [];
      front.forEach((router) => fabric.channelsFrom(router).forEach((channel) => {
        const end = fabric.target(channel)[0];
        if (!seen[end] && !isDark(fabric.links[channel >> 1], dark)) { seen[end] = 1; reached.push(end); }
      }));
      front = reached;
    }
    return -1;
  }

  // The slowest of all paths of a route, in cycles.
  function slowest(fabric, hops, from) {
    const reached = new Map([[from, 0]]);
    let most = 0;
    for (const [, channel] of hops) {
      const cycles = (reached.get(fabric.source(channel)[0]) || 0) + fabric.cycles(channel);
      const end = fabric.target(channel)[0];
      reached.set(end, Math.max(reached.get(end) || 0, cycles));
      most = Math.max(most, cycles);
    }
    return most;
  }

  read().then(({ head, next }) => {
    const fabric = fabricOf(head);
    const loads = readLoads(fabric, next);
    const tables = readTables(fabric, next);
    const jobs = readJobs(head, next);
    const runs = readRuns(fabric, next);
    const state = { scenario: 0, from: -1, to: -1, router: -1, link: -1, opened: -1, color: "load", route: [], busy: new Set() };
    const stage = pictureOf(fabric, loads, runs, state, byId("stage"));
    root.hidden = false;
    const [fromBox, toBox] = [byId("route-from"), byId("route-to")];
    const slider = byId("scenario");
    const info = byId("stage-info");
    const routed = byId("stage-route");
    const text = (load) => (Number.isInteger(load) ? grouped(load) : grouped(Number(load.toPrecision(5))));
    const nanoseconds = (cycles) => grouped(Number(((cycles * 1e9) / head.clock).toFixed(1)));
    const quoted = (name) => (/[^\w.+-]/.test(name) ? `'${name}'` : name);
    const scenario = () => head.scenarios[state.scenario];

    const isNumber = (value) => typeof value === "number" || (typeof value === "string" && /^[\d.,]+$/.test(value));
    function cells(row, values, heading = "td") {
      values.forEach((value, index) => {
        const cell = make(index === 0 && heading === "td" ? "th" : heading, "");
        if (index === 0 || heading === "th") cell.scope = heading === "th" ? "col" : "row";
        if (isNumber(value)) cell.className = "number";
        cell.append(typeof value === "number" ? grouped(value) : value);
        row.append(cell);
      });
      return row;
    }
    function tableOf(name, heads, rows) {
      const scroll = Object.assign(make("div", ""), { className: "scroll", tabIndex: 0 });
      scroll.setAttribute("role", "group");
      scroll.setAttribute("aria-label", name);
      const table = make("table", "");
      table.createTHead().append(cells(make("tr", ""), heads, "th"));
      const body = table.createTBody();
      rows.forEach((row) => body.append(cells(make("tr", ""), row)));
      Array.from(table.tHead.rows[0].cells).forEach((head, column) => { if (column > 0 && rows.some((row) => isNumber(row[column]))) head.className = "number"; });
      scroll.append(table);
      return scroll;
    }
    const button = (name, act) => Object.assign(make("button", name, { type: "button", className: "plain" }), { onclick: act });
    const routerButton = (router) => button(fabric.names[router], () => { select({ router, link: -1 }); });
    const linkButton = (channel, name) => button(name, () => { select({ link: channel >> 1, router: -1 }); });

    function showRoute() {
      routed.replaceChildren();
      state.route = [];
      const [from, to] = [state.from, state.to];
      if (from < 0 || to < 0) return;
      const command = (name) => make("code", `fabc route out/${head.name} ${quoted(fabric.names[from])} ${quoted(fabric.names[to])} --scenario ${quoted(name)}`);
      routed.append(make("h3", `${fabric.names[from]} \u2192 ${fabric.names[to]}, ${scenario().name}`));
      const say = (...words) => { const line = make("p", "", { id: "route-told" }); line.append(...words); routed.append(line); };
      const silent = [from, to].find((router) => fabric.hosts(router) === 0);
      if (from === to) return say("Name two different routers.");
      if (silent !== undefined) return say(`${fabric.names[silent]} has no hosts, so it neither sends nor receives.`);
      if ([from, to].includes(scenario().dark?.router)) return say("One of the two is dead in this scenario.");
      const table = tables[state.scenario];
      const distance = distanceOf(fabric, scenario().dark, from, to);
      if (!head.routed) return say(`The distance is ${distance} hops. This build has no tables.`);
      if (!table) return say(`The distance is ${distance} hops. The tables of this scenario are not in this page. `, command(scenario().name), " follows them.");
      const hops = routeOf(fabric, table, from, to);
      if (!hops) return say("The tables of this scenario have no route.");
      state.route = hops;
      const shared = hops.some(([, , , share]) => share < 1);
      const count = hops.length ? hops[hops.length - 1][0] : 0;
      const cycles = slowest(fabric, hops, from);
      say(`${count} hops at distance ${distance}, ${grouped(cycles)} cycles (${nanoseconds(cycles)} ns)${shared ? " by the slowest path" : ""}.`);
      const through = head.switches.length > 0;
      const own = loads[state.scenario];
      const heads = ["hop", "channel", "VC", "link", "cycles", "ns", ...(own ? ["load"] : []), ...(through ? ["through"] : []), ...(shared ? ["share"] : [])];
      const rows = hops.map(([hop, channel, vc, share]) => {
        const link = fabric.links[channel >> 1];
        return [String(hop), linkButton(channel, fabric.channelName(channel)), vc, link.type, fabric.cycles(channel), nanoseconds(fabric.cycles(channel)),
          ...(own ? [text(own.of(channel))] : []), ...(through ? [link.switch >= 0 ? head.switches[link.switch] : "-"] : []), ...(shared ? [String(Number(share.toFixed(6)))] : [])];
      });
      const drawn = tableOf("The route hop by hop", heads, rows);
      drawn.firstChild.id = "route-hops";
      routed.append(drawn);
      const all = tables.map((other, index) => other && ![from, to].includes(head.scenarios[index].dark?.router) && { index, hops: routeOf(fabric, other, from, to) || [] }).filter(Boolean);
      if (all.length > 1) {
        const lengths = all.map((one) => (one.hops.length ? one.hops[one.hops.length - 1][0] : 0));
        const most = all.map((one) => slowest(fabric, one.hops, from));
        const worst = most.indexOf(Math.max(...most));
        const line = make("p", `In the ${all.length} scenarios with tables in this page: ${Math.min(...lengths)} to ${Math.max(...lengths)} hops, ${grouped(Math.min(...most))} to ${grouped(Math.max(...most))} cycles, the slowest in `, { className: "quiet" });
        line.append(button(head.scenarios[all[worst].index].name, () => show(all[worst].index)), ".");
        routed.append(line);
      }
      if (head.scenarios.length > 1) {
        const line = make("p", "All scenarios: ", { className: "quiet wrap" });
        line.append(command("all"));
        routed.append(line);
      }
    }

    function showInfo() {
      info.replaceChildren();
      const own = loads[state.scenario];
      if (state.link >= 0) {
        const link = fabric.links[state.link];
        const channels = link.simplex ? [2 * link.index] : [2 * link.index, 2 * link.index + 1];
        info.append(make("h3", `Link ${fabric.names[link.a]}.${fabric.port(link.p)} \u2013 ${fabric.names[link.b]}.${fabric.port(link.q)}`));
        const facts = [`${link.type}, ${grouped(link.cycles)} cycles`];
        if (link.switch >= 0) facts.push(`through ${head.switches[link.switch]}`);
        if (link.length !== undefined && link.length !== null) facts.push(`${link.length / 10} m of cable`);
        if (isDark(link, scenario().dark)) facts.push(`dark in ${scenario().name}`);
        info.append(make("p", `${facts.join(", ")}.`));
        if (own) {
          const worst = (channel) => {
            const all = loads.filter(Boolean).map((one) => one.of(channel));
            const most = Math.max(...all);
            const which = loads.filter(Boolean)[all.indexOf(most)].index;
            return [text(most), button(head.scenarios[which].name, () => show(which))];
          };
          const drawn = tableOf("Loads of the link", ["channel", "load", "healthy", "worst load", "in"], channels.map((channel) => [fabric.channelName(channel), text(own.of(channel)), text(loads[0].of(channel)), ...worst(channel)]));
          drawn.firstChild.id = "link-loads";
          info.append(drawn);
        }
        const measured = runs.filter((run) => run.scenario === state.scenario).flatMap((run) => channels.map((channel) => [`${run.name}, ${run.at}`, fabric.channelName(channel), ...[0, 1].map((which) => (which || run.tables ? `${(100 * run.of(channel, which)).toPrecision(3)} %` : "-"))]));
        if (measured.length) {
          const drawn = tableOf("Utilization of the link in simulations", ["simulation", "channel", "by the tables", "measured"], measured);
          drawn.firstChild.id = "link-runs";
          info.append(drawn);
        }
        const table = tables[state.scenario];
        if (table && fabric.routers <= 400) info.append(routesOver(table, channels));
        const ends = make("p", "Ends: ");
        ends.append(routerButton(link.a), " ", routerButton(link.b));
        info.append(ends);
      } else if (state.router >= 0) {
        const { router } = state;
        const hosts = fabric.hosts(router);
        info.append(make("h3", fabric.names[router]));
        const entries = head.entries && (Array.isArray(head.entries) ? head.entries[orbitsOf(head, fabric.routers, head.scenarios[0].tables === 1).class(router)] : head.entries);
        info.append(make("p", `Number ${router}, ${hosts} host${hosts === 1 ? "" : "s"}${entries ? `, ${grouped(entries)} table entries when healthy` : ""}${scenario().dark?.router === router ? `, dead in ${scenario().name}` : ""}.`));
        const pair = make("p", "");
        pair.append(button("Route from here", () => choose(router, state.to)), " ", button("Route to here", () => choose(state.from, router)));
        info.append(pair);
        const rows = fabric.channelsFrom(router).map((channel) => [fabric.port(fabric.source(channel)[1]), routerButton(fabric.target(channel)[0]),
          linkButton(channel, isDark(fabric.links[channel >> 1], scenario().dark) ? "dark" : "link"), fabric.links[channel >> 1].type, ...(own ? [text(own.of(channel))] : [])]);
        info.append(tableOf(`Ports of ${fabric.names[router]}`, ["port", "to", "over", "cable", ...(own ? ["load"] : [])], rows));
      } else {
        info.append(make("p", `Click a ${head.word} or a link, or type names. Two ${head.word}s make a route.`, { className: "quiet" }));
      }
    }

    // The routes over a link by their number of hops.
    function routesOver(table, channels) {
      const counts = channels.map(() => new Map());
      const ends = Array.from(fabric.names.keys()).filter((router) => fabric.hosts(router) > 0 && scenario().dark?.router !== router);
      for (const from of ends) {
        for (const to of ends) {
          if (from === to) continue;
          const hops = routeOf(fabric, table, from, to);
          if (!hops || !hops.length) continue;
          channels.forEach((channel, index) => {
            if (hops.some(([, other]) => other === channel)) counts[index].set(hops[hops.length - 1][0], (counts[index].get(hops[hops.length - 1][0]) || 0) + 1);
          });
        }
      }
      const lengths = Array.from(new Set(counts.flatMap((count) => Array.from(count.keys())))).sort((one, other) => one - other);
      return tableOf("Pairs over the link by hops", ["pairs over it by hops", ...lengths.map(String)], channels.map((channel, index) => [fabric.channelName(channel), ...lengths.map((hops) => counts[index].get(hops) || 0)]));
    }

    function show(number) {
      state.scenario = number;
      if (slider) {
        slider.value = number;
        const { name, most, images } = scenario();
        byId("scenario-name").textContent = `${name}${number === 0 ? ", the healthy fabric" : `, number ${number} by harm`}${most ? `: maximum load ${most}` : ""}${images ? `; stands for ${images} more` : ""}${loads[number] || !loads[0] ? "" : "; its loads are not in this page"}`;
      }
      refresh();
    }
    function select(change) {
      Object.assign(state, change);
      refresh();
    }
    function choose(from, to) {
      Object.assign(state, { from, to });
      if (from >= 0) fromBox.value = fabric.names[from];
      if (to >= 0) toBox.value = fabric.names[to];
      if (to < 0) toBox.value = "";
      if (from < 0) fromBox.value = "";
      refresh();
    }
    function refresh() {
      showRoute();
      showInfo();
      stage.draw();
    }
    Array.from(new Set(runs.map(({ name }) => name))).forEach((name) => [["tables", "by the tables"], ["measured", "measured"]].forEach(([which, words]) => {
      byId("stage-color")?.append(make("option", `utilization, ${name}: ${words}`, { value: `${which} ${name}` }));
    }));
    byId("stage-color")?.addEventListener("change", (event) => { state.color = event.target.value; stage.draw(); });
    const offers = byId("routers");
    [fromBox, toBox].forEach((box) => {
      box.addEventListener("input", () => {
        const wanted = box.value.toLowerCase().replace(/\s+/g, "");
        const fits = wanted === "" ? [] : fabric.names.filter((name) => name.toLowerCase().replace(/\s+/g, "").includes(wanted)).slice(0, 20);
        offers.replaceChildren(...fits.map((name) => make("option", "", { value: name })));
        const router = fabric.find(box.value);
        box.setAttribute("aria-invalid", String(box.value !== "" && router < 0));
        state[box === fromBox ? "from" : "to"] = router;
        if (router >= 0) Object.assign(state, { router, link: -1 });
        refresh();
      });
    });
    byId("route-clear").addEventListener("click", () => { Object.assign(state, { router: -1, link: -1, opened: -1 }); choose(-1, -1); stage.fit(); });
    byId("route-swap").addEventListener("click", () => choose(state.to, state.from));
    if (slider) {
      slider.max = head.scenarios.length - 1;
      slider.addEventListener("input", () => show(Number(slider.value)));
      const numbers = new Map(head.scenarios.map(({ name }, index) => [name, index]));
      document.querySelectorAll("#all-faults tbody th").forEach((cell) => {
        const name = cell.textContent.trim();
        if (!numbers.has(name)) return;
        cell.replaceChildren(button(name, () => { show(numbers.get(name)); root.scrollIntoView({ block: "start" }); slider.focus(); }));
      });
    }
    stage.picked = (router) => {
      Object.assign(state, { router, link: -1 });
      if (state.from < 0 || state.to >= 0) choose(router, -1);
      else choose(state.from, router);
    };
    stage.moved = (router) => select({ router, link: -1 });
    stage.linked = (link) => select({ link, router: -1 });
    show(0);
    if (jobs.length > 0) ganttOf(fabric, jobs, state, stage);
    root.dataset.ready = "yes";
  });
