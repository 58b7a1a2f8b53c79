// The box of the front page: sums of numbers that somebody types. exact_sum.js has the exact one, as WebAssembly.
onefoldExact.then(({ sumPrecise }) => {
  const fromLeft = (x) => x.reduce((sum, v) => sum + v, 0);

  // As NumPy adds f64: blocks of at most 128 in 8 lanes, then halves.
  function pairwise(x) {
    if (x.length < 8) return fromLeft(x);
    if (x.length > 128) {
      const half = Math.floor(x.length / 16) * 8;
      return pairwise(x.slice(0, half)) + pairwise(x.slice(half));
    }
    const r = x.slice(0, 8);
    const whole = x.length - (x.length % 8);
    for (let i = 8; i < whole; i += 1) r[i % 8] += x[i];
    return x.slice(whole).reduce((sum, v) => sum + v, r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7])));
  }

  const rows = [["from left to right", fromLeft], ["pairwise, as NumPy", (x) => 0 + pairwise(x)], ["exact, rounded once", sumPrecise]];
  const box = document.getElementById("try-sums");
  box.innerHTML = `<label for="try-numbers">Type or paste numbers, and see their sum</label>
<textarea id="try-numbers" rows="3" spellcheck="false" autocomplete="off" aria-describedby="try-said">1e16 1 -1e16 0.1 0.2 0.3</textarea>
<div><button type="button" id="try-shuffle" class="md-button">Another order</button> <span id="try-said" role="status"></span></div>
<table class="sums"><thead><tr><th scope="col">sum of the f64 nearest to each</th><th scope="col">is</th><th scope="col">off by</th></tr></thead><tbody>
${rows.map(([name]) => `<tr><th scope="row">${name}</th><td></td><td></td></tr>`).join("")}</tbody></table>`;
  const [numbers, said] = ["try-numbers", "try-said"].map((id) => document.getElementById(id));
  const cells = [...box.querySelectorAll("tbody tr")].map((row) => row.querySelectorAll("td"));
  const tokens = () => numbers.value.split(/[\s,;]+/).filter((token) => token !== "");
  const number = (token) => (/^[-+]?inf(inity)?$/i.test(token) ? (token[0] === "-" ? -Infinity : Infinity) : /^nan$/i.test(token) ? NaN : Number(token));
  const shown = (v) => (Object.is(v, -0) ? "-0" : String(v));

  function show() {
    const all = tokens();
    const x = all.map(number);
    const wrong = x.findIndex((v, i) => Number.isNaN(v) && !/^nan$/i.test(all[i]));
    said.textContent = wrong < 0 ? `${x.length} numbers` : `number ${wrong + 1}, “${all[wrong].slice(0, 20)}”, is not a number; write it as -1.5e3`;
    numbers.setAttribute("aria-invalid", String(wrong >= 0));
    rows.forEach(([, sum], k) => {
      const value = wrong < 0 ? sum(x) : NaN;
      const off = Number.isFinite(value) ? sumPrecise([value, ...x.map((v) => -v)]) : NaN;
      cells[k][0].textContent = wrong < 0 ? shown(value) : "";
      cells[k][1].textContent = Number.isNaN(off) ? "" : off === 0 ? "0" : shown(Number(off.toPrecision(2)));
    });
  }

  numbers.addEventListener("input", show);
  document.getElementById("try-shuffle").addEventListener("click", () => {
    const all = tokens();
    for (let i = all.length - 1; i > 0; i -= 1) {
      const k = Math.floor(Math.random() * (i + 1));
      [all[i], all[k]] = [all[k], all[i]];
    }
    numbers.value = all.join(" ");
    show();
  });
  show();
});
