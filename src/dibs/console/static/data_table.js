// A table that people can search, sort, walk with the keyboard and read on a phone.
// Cells are plain values or {kind, …}; everything is put in as text, so what a provider sent stays text.
const STEP = 50;

export default {
  props: {
    columns: Array,
    rows: Array,
    rowKey: String,
    label: String,
    search: Boolean,
    searchLabel: String,
    query: String,
    empty: Object,
    actions: Array,
    clickable: Boolean,
  },
  template: `
    <div class="dibs-table-box">
      <div class="dibs-table-bar" v-if="search && rows.length > 0">
        <label class="dibs-search">
          <span class="dibs-hidden">{{ searchLabel }}</span>
          <i class="material-icons" aria-hidden="true">search</i>
          <input type="search" :value="text" :placeholder="searchLabel" @input="find($event.target.value)" />
        </label>
        <span class="dibs-muted" role="status">{{ summary }}</span>
      </div>
      <div class="dibs-scroll" v-if="shown.length > 0" :tabindex="scrolls ? 0 : null" :role="scrolls ? 'region' : null"
           :aria-label="scrolls ? label : null" ref="scroll">
        <table class="dibs-table">
          <caption class="dibs-hidden">{{ label }}</caption>
          <thead>
            <tr>
              <th v-for="column in columns" :key="column.name" scope="col" :class="'is-' + column.align"
                  :aria-sort="sort.name === column.name ? (sort.down ? 'descending' : 'ascending') : null">
                <button v-if="column.sort" type="button" @click="order(column.name)">
                  {{ column.label }}<i class="material-icons" aria-hidden="true">{{ arrow(column.name) }}</i>
                </button>
                <span v-else>{{ column.label }}</span>
              </th>
              <th v-if="actions.length" scope="col"><span class="dibs-hidden">Actions</span></th>
            </tr>
          </thead>
          <tbody>
            <tr v-for="row in shown" :key="row[rowKey]" :class="[row._tone ? 'tone-' + row._tone : '', clickable ? 'is-clickable' : '']"
                :data-key="row[rowKey]" @click="open(row, $event)">
              <td v-for="(column, index) in columns" :key="column.name" :class="['is-' + column.align, index === 0 ? 'is-first' : '']" :data-label="column.label">
                <dibs-cell :cell="row[column.name]" :opens="clickable && index === 0" @open="$emit('open', row[rowKey])" />
              </td>
              <td v-if="actions.length" class="dibs-actions">
                <template v-for="action in actions" :key="action.name">
                  <button v-if="allowed(row, action)" type="button" class="dibs-button is-small" :class="'is-' + action.look"
                          :aria-label="action.label + ': ' + plain(row[columns[0].name])"
                          @click.stop="$emit('action', action.name, row[rowKey])">{{ action.label }}</button>
                </template>
              </td>
            </tr>
          </tbody>
        </table>
      </div>
      <button v-if="found.length > shown.length" type="button" class="dibs-button is-quiet" @click="more">
        Show {{ Math.min(step, found.length - shown.length) }} more of {{ found.length }}
      </button>
      <div class="dibs-empty" v-if="rows.length === 0">
        <i class="material-icons" aria-hidden="true">{{ empty.icon }}</i>
        <p class="dibs-empty-title">{{ empty.title }}</p>
        <p>{{ empty.hint }}</p>
        <code v-if="empty.command">{{ empty.command }}</code>
        <a v-if="empty.href" class="dibs-button" :href="empty.href">{{ empty.action }}</a>
      </div>
      <div class="dibs-empty" v-else-if="found.length === 0">
        <p class="dibs-empty-title">Nothing matches “{{ text }}”</p>
        <button type="button" class="dibs-button is-quiet" @click="find('')">Clear the search</button>
      </div>
    </div>`,
  components: {
    "dibs-cell": {
      props: { cell: null, opens: Boolean },
      emits: ["open"],
      template: `
        <dibs-time v-if="kind === 'time' && cell.at" :datetime="cell.at" :mode="cell.mode"></dibs-time>
        <span v-else-if="kind === 'badge'" class="dibs-badge" :class="'tone-' + cell.tone" :title="cell.why || null"><i class="material-icons" aria-hidden="true">{{ cell.icon }}</i>{{ cell.text }}</span>
        <span v-else-if="kind === 'link' && href" class="dibs-two"><a :href="href" :target="outside ? '_blank' : null" :rel="outside ? 'noopener noreferrer' : null">{{ cell.text }}</a><small v-if="cell.small">{{ cell.small }}</small></span>
        <span v-else-if="kind === 'meter'" class="dibs-meter" :title="cell.text"><span role="img" :aria-label="cell.text"><span :style="{ width: share + '%' }"></span></span>{{ cell.text }}</span>
        <svg v-else-if="kind === 'spark'" class="dibs-spark" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" :aria-label="cell.text"><polyline :points="points" /></svg>
        <span v-else-if="kind === 'two'" class="dibs-two"><button v-if="opens" type="button" class="dibs-open" @click.stop="$emit('open')">{{ cell.text }}</button><span v-else>{{ cell.text }}</span><small>{{ cell.small }}</small></span>
        <code v-else-if="kind === 'code'">{{ cell.text }}</code>
        <button v-else-if="opens" type="button" class="dibs-open" @click.stop="$emit('open')">{{ text }}</button>
        <span v-else>{{ text }}</span>`,
      computed: {
        kind() {
          return this.cell && typeof this.cell === "object" ? this.cell.kind : "";
        },
        text() {
          if (this.cell === null || this.cell === undefined || this.cell === "") return "—";
          return typeof this.cell === "object" ? (this.cell.text ?? "—") : String(this.cell);
        },
        href() {
          return window.dibsSafeLink(this.cell.href);
        },
        outside() {
          return !this.href.startsWith("/");
        },
        share() {
          return this.cell.of > 0 ? Math.min(100, (100 * this.cell.value) / this.cell.of) : 0;
        },
        points() {
          const values = this.cell.values;
          const top = Math.max(...values, 1);
          const wide = Math.max(values.length - 1, 1);
          return values.map((v, i) => `${((100 * i) / wide).toFixed(1)},${(22 - (20 * v) / top).toFixed(1)}`).join(" ");
        },
      },
    },
  },
  data() {
    const [name, way] = (this.query ? window.dibsGetQuery(`${this.query}sort`) : "").split(":");
    return {
      text: this.query ? window.dibsGetQuery(`${this.query}q`) : "",
      sort: { name: name || "", down: way === "down" },
      limit: STEP,
      step: STEP,
      scrolls: false,
    };
  },
  computed: {
    found() {
      const words = this.text.toLowerCase().split(/\s+/).filter(Boolean);
      const fits = (row) => {
        const all = this.columns.map((c) => this.plain(row[c.name])).join(" ").toLowerCase();
        return words.every((word) => all.includes(word));
      };
      const rows = words.length ? this.rows.filter(fits) : this.rows;
      if (!this.sort.name) return rows;
      const way = this.sort.down ? -1 : 1;
      const key = (row) => this.weight(row[this.sort.name]);
      return [...rows].sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        if (x === y) return 0;
        if (x === null) return 1;
        if (y === null) return -1;
        return (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y))) * way;
      });
    },
    shown() {
      return this.found.slice(0, this.limit);
    },
    summary() {
      return this.found.length === this.rows.length ? `${this.rows.length} in all` : `${this.found.length} of ${this.rows.length}`;
    },
  },
  mounted() {
    this.measure = () => (this.scrolls = this.$refs.scroll ? this.$refs.scroll.scrollWidth > this.$refs.scroll.clientWidth : false);
    window.addEventListener("resize", this.measure);
    this.measure();
  },
  updated() {
    this.measure();
  },
  unmounted() {
    window.removeEventListener("resize", this.measure);
  },
  methods: {
    plain(cell) {
      if (cell === null || cell === undefined) return "";
      return typeof cell === "object" ? `${cell.text ?? ""} ${cell.small ?? ""}`.trim() : String(cell);
    },
    weight(cell) {
      if (cell === null || cell === undefined || cell === "") return null;
      return typeof cell === "object" ? (cell.sort ?? cell.at ?? cell.value ?? cell.text ?? null) : cell;
    },
    arrow(name) {
      if (this.sort.name !== name) return "unfold_more";
      return this.sort.down ? "arrow_downward" : "arrow_upward";
    },
    allowed(row, action) {
      return !row._actions || row._actions.includes(action.name);
    },
    find(text) {
      this.text = text;
      this.limit = STEP;
      if (this.query) window.dibsSetQuery({ [`${this.query}q`]: text });
    },
    order(name) {
      if (this.sort.name !== name) this.sort = { name, down: false };
      else if (!this.sort.down) this.sort = { name, down: true };
      else this.sort = { name: "", down: false };
      const value = this.sort.name ? `${this.sort.name}:${this.sort.down ? "down" : "up"}` : "";
      if (this.query) window.dibsSetQuery({ [`${this.query}sort`]: value });
    },
    more() {
      this.limit += STEP;
    },
    open(row, event) {
      if (this.clickable && !event.target.closest("a, button")) this.$emit("open", row[this.rowKey]);
    },
  },
};
