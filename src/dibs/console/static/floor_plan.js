// Tables where they stand; each is a button, so that hands, keys and screen readers reach it.
const ROOM = 60;

export default {
  props: { tables: Array, chosen: Array, label: String, empty: Object },
  template: `
    <div class="dibs-plan-box">
      <div v-if="tables.length" class="dibs-plan" role="group" :aria-label="label" :style="{ aspectRatio: box.wide + ' / ' + box.high }">
        <button v-for="table in placed" :key="table.id" type="button" class="dibs-place" :class="['state-' + table.state, { 'is-chosen': chosen.includes(table.id) }]"
                :style="table.place" :aria-pressed="String(chosen.includes(table.id))" :title="table.why || null"
                :aria-label="table.label + ', for ' + table.capacity + ', ' + table.state" @click="$emit('open', table.id)">
          <b>{{ table.label }}</b><span>{{ table.capacity }}</span>
          <dibs-time v-if="table.until" :datetime="table.until" mode="countdown"></dibs-time><small v-else>{{ table.state }}</small>
        </button>
      </div>
      <ul v-if="tables.length" class="dibs-legend" aria-label="Legend"><li v-for="state in ['free', 'held', 'booked', 'inactive']" :key="state"><span class="dibs-swatch" :class="'state-' + state" aria-hidden="true"></span>{{ state }}</li></ul>
      <div class="dibs-empty" v-else>
        <i class="material-icons" aria-hidden="true">{{ empty.icon }}</i>
        <p class="dibs-empty-title">{{ empty.title }}</p><p>{{ empty.hint }}</p>
        <code v-if="empty.command">{{ empty.command }}</code>
      </div>
    </div>`,
  computed: {
    // Tables without a place of their own stand in rows below the others.
    spots() {
      const known = this.tables.filter((t) => t.x !== null && t.y !== null);
      const low = known.length ? Math.max(...known.map((t) => t.y)) + 100 : 0;
      let loose = 0;
      return this.tables.map((t) => {
        if (t.x !== null && t.y !== null) return { ...t };
        const spot = { ...t, x: (loose % 8) * 100, y: low + Math.floor(loose / 8) * 100 };
        loose += 1;
        return spot;
      });
    },
    box() {
      const [xs, ys] = [this.spots.map((t) => t.x), this.spots.map((t) => t.y)];
      const step = this.step;
      const [left, top] = [Math.min(...xs) - step * 0.6, Math.min(...ys) - step * 0.6];
      return { left, top, wide: Math.max(Math.max(...xs) + step * 0.6 - left, step), high: Math.max(Math.max(...ys) + step * 0.6 - top, step * 0.8) };
    },
    // How far apart the nearest two tables stand: a plan may be drawn in metres or in pixels.
    step() {
      let nearest = Infinity;
      const spots = this.spots;
      for (let i = 0; i < spots.length; i += 1) {
        for (let j = 0; j < i; j += 1) {
          const far = Math.max(Math.abs(spots[i].x - spots[j].x), Math.abs(spots[i].y - spots[j].y));
          if (far > 0) nearest = Math.min(nearest, far);
        }
      }
      return Number.isFinite(nearest) ? nearest : ROOM;
    },
    placed() {
      const { left, top, wide, high } = this.box;
      const size = this.step * 0.86;
      return this.spots.map((t) => ({
        ...t,
        place: {
          left: `${(100 * (t.x - left - size / 2)) / wide}%`,
          top: `${(100 * (t.y - top - size / 2)) / high}%`,
          width: `${(100 * size) / wide}%`,
          height: `${(100 * size) / high}%`,
        },
      }));
    },
  },
};
