// Tables by time: a bar for everything that blocks a table. The list below the picture says the same in words.
export default {
  props: { label: String, hours: Array, rows: Array, at: Number },
  template: `
    <div class="dibs-floor-day" role="img" :aria-label="label" tabindex="0">
      <div class="dibs-floor-day-inner">
        <div class="dibs-floor-day-head" aria-hidden="true">
          <span v-for="hour in hours" :key="hour.left" :style="{ left: hour.left + '%' }">{{ hour.text }}</span>
        </div>
        <div v-for="row in rows" :key="row.id" class="dibs-floor-day-row" aria-hidden="true">
          <b>{{ row.number }}</b>
          <div class="dibs-floor-day-lane">
            <i v-for="hour in hours" :key="hour.left" :style="{ left: hour.left + '%' }"></i>
            <span v-for="bar in row.bars" :key="bar.id" class="dibs-floor-day-bar" :class="'is-' + bar.state"
              :style="{ left: bar.left + '%', width: bar.width + '%' }" :title="bar.title">
              {{ bar.text }} <dibs-time v-if="bar.until" :datetime="bar.until" mode="countdown"></dibs-time>
            </span>
            <em v-if="at >= 0 && at <= 100" :style="{ left: at + '%' }"></em>
          </div>
        </div>
      </div>
    </div>`,
};
