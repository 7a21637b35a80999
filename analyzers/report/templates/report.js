(function () {
  "use strict";
  var doc = document;
  function list(found) { return Array.prototype.slice.call(found); }

  // Sorting: up, down, as it was. What does not exist comes last in both directions.
  function key(row, column) {
    var cell = row.cells[column];
    if (!cell.hasAttribute("data-v")) {
      var text = cell.textContent.trim();
      return text === "" ? null : text;
    }
    var value = cell.getAttribute("data-v").replace(/,/g, "");
    return value === "" ? null : Number(value);
  }
  function sorted(rows, column, sign) {
    return rows
      .map(function (row, at) { return { row: row, at: at, key: key(row, column) }; })
      .sort(function (one, other) {
        if (one.key === null || other.key === null) {
          return (one.key === null) - (other.key === null) || one.at - other.at;
        }
        if (one.key === other.key) { return one.at - other.at; }
        return (one.key < other.key ? -1 : 1) * sign;
      })
      .map(function (found) { return found.row; });
  }
  // Long item tables stand in two parts, so that the page opens fast; the first use joins them.
  function joined(table) {
    var more = doc.getElementById(table.id.replace(/itemtable$/, "moreitems"));
    if (table.id && more && more !== table) {
      list(more.tBodies[0].rows).forEach(function (row) { table.tBodies[0].appendChild(row); });
      more.closest("details").remove();
    }
    if (!table.initial) { table.initial = list(table.tBodies[0].rows); }
    return table.initial;
  }
  list(doc.querySelectorAll("table.sort")).forEach(function (table) {
    var body = table.tBodies[0];
    var heads = list(table.tHead.rows[table.tHead.rows.length - 1].cells);
    heads.forEach(function (head, column) {
      if (head.hasAttribute("data-plain")) { return; }
      var button = doc.createElement("button");
      button.type = "button";
      while (head.firstChild) { button.appendChild(head.firstChild); }
      head.appendChild(button);
      button.addEventListener("click", function () {
        var next = { ascending: "descending", descending: "" };
        var before = head.getAttribute("aria-sort");
        var now = before === null ? "ascending" : next[before];
        heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
        if (now) { head.setAttribute("aria-sort", now); }
        table.classList.toggle("sorted", Boolean(now));
        var initial = joined(table);
        var rows = now ? sorted(initial, column, now === "ascending" ? 1 : -1) : initial;
        var all = doc.createDocumentFragment();
        rows.forEach(function (row) { all.appendChild(row); });
        body.appendChild(all);
      });
    });
  });

  // Filter of the item tables; its state stands in the address after #items.
  var filters = list(doc.querySelectorAll(".filter"));
  function has(row, name, wanted) {
    return (row.getAttribute(name) || "").split(" ").indexOf(wanted) >= 0;
  }
  function fields(filter) { return list(filter.querySelectorAll("[data-f]")); }
  function apply(filter) {
    var want = {};
    fields(filter).forEach(function (field) { want[field.getAttribute("data-f")] = field.value; });
    var text = (want.q || "").toLowerCase();
    var rows = joined(doc.getElementById(filter.getAttribute("data-table")));
    var shown = 0;
    rows.forEach(function (row) {
      var keep = (!text || row.cells[0].textContent.toLowerCase().indexOf(text) >= 0) &&
        (!want.c || has(row, "data-c", want.c)) &&
        (!want.s || has(row, "data-s", want.s)) &&
        (!want.k || has(row, "data-k", want.k));
      row.hidden = !keep;
      shown += keep;
    });
    filter.querySelector("output").textContent = shown + " of " + rows.length + " items";
  }
  function remember() {
    var state = new URLSearchParams();
    filters.forEach(function (filter, at) {
      fields(filter).forEach(function (field) {
        if (field.value) { state.set(at + field.getAttribute("data-f"), field.value); }
      });
    });
    var text = state.toString();
    try { history.replaceState(null, "", text ? "#items?" + text : "#items"); } catch (e) { return; }
  }
  function restore() {
    if (location.hash.indexOf("#items?") !== 0) { return; }
    var state = new URLSearchParams(location.hash.slice(7));
    filters.forEach(function (filter, at) {
      fields(filter).forEach(function (field) {
        field.value = state.get(at + field.getAttribute("data-f")) || "";
      });
      apply(filter);
    });
    doc.getElementById("items").scrollIntoView();
  }
  filters.forEach(function (filter) {
    filter.hidden = false;
    filter.addEventListener("input", function () { apply(filter); remember(); });
  });
  restore();
  window.addEventListener("hashchange", restore);
}());
