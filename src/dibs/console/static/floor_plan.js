// A floor as it stands: every table a button in its place, coloured and named by what it is at the chosen time.
export default {
  props: { zones: Array },
  emits: ["pick"],
  template: `
    <div class="dibs-floor">
      <section v-for="zone in zones" :key="zone.id" :aria-label="zone.name">
        <h3>{{ zone.name }}</h3>
        <div class="dibs-floor-scroll">
          <div class="dibs-floor-room" :style="{ height: zone.height + 'px', minWidth: zone.width + 'px' }">
            <button v-for="table in zone.tables" :key="table.id" type="button" class="dibs-floor-table"
              :class="['is-' + table.state, { 'is-round': table.seats <= 2 }]" :style="{ left: table.left + '%', top: table.top + '%' }"
              :aria-pressed="table.picked ? 'true' : 'false'" :aria-label="table.label" :title="table.label" :data-table="table.number"
              :disabled="table.state === 'idle'" @click="$emit('pick', table.id)">
              <b>{{ table.number }}</b>
              <span class="dibs-floor-seats">{{ table.seats }}</span>
              <dibs-time v-if="table.until" :datetime="table.until" mode="countdown"></dibs-time>
            </button>
          </div>
        </div>
      </section>
    </div>`,
};
