// A list whose newest items arrive on top without a reload; what has gone stays and says so.
export default {
  props: { items: Array, label: String, empty: Object, unit: String },
  template: `
    <div class="dibs-live">
      <p class="dibs-hidden" role="status">{{ news }}</p>
      <transition-group v-if="items.length > 0" tag="ol" name="dibs-arrive" class="dibs-live-list" :aria-label="label">
        <li v-for="item in items" :key="item.id" :data-id="item.id" :class="{ 'is-gone': item.gone, 'is-new': fresh.has(item.id) }">
          <div class="dibs-live-when"><dibs-time :datetime="item.at"></dibs-time></div>
          <div class="dibs-live-what">
            <p class="dibs-live-title"><a v-if="item.page" :href="item.page">{{ item.title }}</a><template v-else>{{ item.title }}</template></p>
            <p class="dibs-live-facts">
              <template v-for="(fact, index) in item.facts" :key="index">
                <span v-if="fact.at" class="dibs-fact"><i class="material-icons" aria-hidden="true">{{ fact.icon }}</i><dibs-time :datetime="fact.at" mode="moment"></dibs-time></span>
                <span v-else class="dibs-fact"><i class="material-icons" aria-hidden="true">{{ fact.icon }}</i>{{ fact.text }}</span>
              </template>
            </p>
          </div>
          <div class="dibs-live-state">
            <span class="dibs-badge" :class="'tone-' + item.badge.tone" :title="item.badge.why || null"><i class="material-icons" aria-hidden="true">{{ item.badge.icon }}</i>{{ item.badge.text }}</span>
            <a v-if="link(item)" class="dibs-button is-small" :class="item.gone ? 'is-quiet' : ''" :href="link(item)" target="_blank" rel="noopener noreferrer" :aria-label="item.link_text + ': ' + item.title">{{ item.link_text }}</a>
          </div>
        </li>
      </transition-group>
      <div v-else class="dibs-empty">
        <i class="material-icons" aria-hidden="true">{{ empty.icon }}</i>
        <p class="dibs-empty-title">{{ empty.title }}</p>
        <p>{{ empty.hint }}</p>
        <code v-if="empty.command">{{ empty.command }}</code>
        <a v-if="empty.href" class="dibs-button" :href="empty.href">{{ empty.action }}</a>
      </div>
    </div>`,
  data() {
    return { known: new Set(this.items.map((item) => item.id)), fresh: new Set(), news: "" };
  },
  watch: {
    items(now) {
      const arrived = now.filter((item) => !this.known.has(item.id));
      if (arrived.length === 0) return;
      this.known = new Set([...this.known, ...arrived.map((item) => item.id)]);
      this.fresh = new Set(arrived.map((item) => item.id));
      const more = arrived.length - 1;
      this.news = `${arrived[0].title}${more > 0 ? ` and ${more} more` : ""}: ${this.unit}`;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => (this.fresh = new Set()), 6000);
    },
  },
  unmounted() {
    clearTimeout(this.timer);
  },
  methods: {
    link(item) {
      const href = window.dibsSafeLink(item.href);
      return href && !href.startsWith("/") ? href : null;
    },
  },
};
