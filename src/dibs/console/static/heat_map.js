// A calendar of days: how full each is, by depth of colour and by the words in the cell.
export default {
  props: { days: Array, label: String, levels: Array, empty: Object },
  template: `
    <div class="dibs-heat-box">
      <div class="dibs-heat-months" v-if="days.length">
        <table v-for="month in months" :key="month.name" class="dibs-heat">
          <caption>{{ month.title }}</caption>
          <thead><tr><th v-for="day in week" :key="day" scope="col"><abbr :title="day">{{ day.slice(0, 2) }}</abbr></th></tr></thead>
          <tbody>
            <tr v-for="(line, index) in month.lines" :key="index">
              <td v-for="(day, column) in line" :key="column">
                <button v-if="day" type="button" class="dibs-day" :class="['level-' + day.level, day.stale ? 'is-stale' : '']"
                        :title="day.title" :aria-label="day.title" @click="$emit('open', day.date)">
                  <span>{{ Number(day.date.slice(8)) }}</span><b>{{ day.text }}</b>
                </button>
              </td>
            </tr>
          </tbody>
        </table>
      </div>
      <ul class="dibs-legend" v-if="days.length && levels.length" :aria-label="'Legend of ' + label">
        <li v-for="(name, level) in levels" :key="level"><span class="dibs-swatch" :class="'level-' + level" aria-hidden="true"></span>{{ name }}</li>
        <li><span class="dibs-swatch is-stale" aria-hidden="true"></span>changed, not estimated yet</li>
      </ul>
      <div class="dibs-empty" v-if="!days.length">
        <i class="material-icons" aria-hidden="true">{{ empty.icon }}</i>
        <p class="dibs-empty-title">{{ empty.title }}</p><p>{{ empty.hint }}</p>
        <code v-if="empty.command">{{ empty.command }}</code>
      </div>
    </div>`,
  computed: {
    week() {
      const name = new Intl.DateTimeFormat(navigator.language, { weekday: "long", timeZone: "UTC" });
      return [...Array(7).keys()].map((day) => name.format(new Date(Date.UTC(2024, 0, 1 + day))));
    },
    months() {
      const title = new Intl.DateTimeFormat(navigator.language, { month: "long", year: "numeric", timeZone: "UTC" });
      const months = new Map();
      for (const day of this.days) {
        const name = day.date.slice(0, 7);
        const at = new Date(`${day.date}T00:00:00Z`);
        if (!months.has(name)) months.set(name, { name, title: title.format(at), lines: [] });
        const { lines } = months.get(name);
        const column = (at.getUTCDay() + 6) % 7;
        if (lines.length === 0 || (column <= lines.at(-1).last)) lines.push(Object.assign(Array(7).fill(null), { last: -1 }));
        lines.at(-1)[column] = day;
        lines.at(-1).last = column;
      }
      return [...months.values()];
    },
  },
};
