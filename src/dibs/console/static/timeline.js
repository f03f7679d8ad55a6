// Rows over time: who has what from when to when.
export default {
  props: { rows: Array, start: String, end: String, now: String, label: String, empty: Object },
  template: `
    <div class="dibs-time-box" tabindex="0" role="region" :aria-label="label" v-if="rows.length">
      <div class="dibs-time-grid">
        <div class="dibs-time-head"><span></span><div class="dibs-time-track"><span v-for="hour in hours" :key="hour.at" :style="{ left: hour.left + '%' }">{{ hour.text }}</span></div></div>
        <div class="dibs-time-row" v-for="row in rows" :key="row.id">
          <span class="dibs-time-name">{{ row.label }}</span>
          <div class="dibs-time-track">
            <i v-for="hour in hours" :key="hour.at" class="dibs-time-line" :style="{ left: hour.left + '%' }" aria-hidden="true"></i>
            <i v-if="mark !== null" class="dibs-time-now" :style="{ left: mark + '%' }" aria-hidden="true"></i>
            <button v-for="block in row.blocks" :key="block.id" type="button" class="dibs-time-block" :class="'tone-' + block.tone" :style="place(block)"
                    :title="words(row, block)" :aria-label="words(row, block)" @click="$emit('open', block.id)">{{ block.text }}</button>
          </div>
        </div>
      </div>
    </div>
    <div class="dibs-empty" v-else>
      <i class="material-icons" aria-hidden="true">{{ empty.icon }}</i>
      <p class="dibs-empty-title">{{ empty.title }}</p><p>{{ empty.hint }}</p>
    </div>`,
  computed: {
    from() {
      return Date.parse(this.start);
    },
    wide() {
      return Math.max(1, Date.parse(this.end) - this.from);
    },
    hours() {
      const clock = new Intl.DateTimeFormat(navigator.language, { hour: "2-digit", minute: "2-digit" });
      const step = this.wide > 14 * 3600e3 ? 2 * 3600e3 : 3600e3;
      const marks = [];
      for (let at = Math.ceil(this.from / step) * step; at < this.from + this.wide - step / 2; at += step)
        marks.push({ at, left: this.share(at), text: clock.format(at) });
      return marks;
    },
    mark() {
      const at = this.now ? Date.parse(this.now) : NaN;
      return at >= this.from && at <= this.from + this.wide ? this.share(at) : null;
    },
  },
  methods: {
    share(at) {
      return (100 * (at - this.from)) / this.wide;
    },
    place(block) {
      const left = Math.max(0, this.share(Date.parse(block.start)));
      const right = Math.min(100, this.share(Date.parse(block.end)));
      return { left: `${left}%`, width: `${Math.max(0.6, right - left)}%` };
    },
    words(row, block) {
      const clock = new Intl.DateTimeFormat(navigator.language, { hour: "2-digit", minute: "2-digit" });
      return `${row.label}: ${block.text}, ${clock.format(Date.parse(block.start))}–${clock.format(Date.parse(block.end))}`;
    },
  },
};
