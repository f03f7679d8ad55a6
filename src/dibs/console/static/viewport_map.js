// A map that needs no tiles: a grid, the communities and what was found, to drag and to zoom. Its viewport is what
// a search gets as bounds.
const RAD = Math.PI / 180;
const northing = (lat) => Math.log(Math.tan(Math.PI / 4 + (Math.max(-85, Math.min(85, lat)) * RAD) / 2)) / RAD;
const latitude = (y) => (2 * Math.atan(Math.exp(y * RAD)) - Math.PI / 2) / RAD;
const wrap = (lng) => ((((lng + 180) % 360) + 360) % 360) - 180;
const WIDTH = 640;
const HEIGHT = 420;

export default {
  props: { places: Array, found: Array, start: Object, label: String },
  template: `
    <div class="dibs-map">
      <svg :viewBox="'0 0 ${WIDTH} ${HEIGHT}'" role="application" tabindex="0" :aria-label="label + '. ' + words"
           @pointerdown="grab" @pointermove="drag" @pointerup="drop" @pointercancel="drop" @wheel.prevent="wheel"
           @keydown="key">
        <g class="dibs-map-grid" aria-hidden="true">
          <g v-for="line in grid.up" :key="'u' + line.text"><line :x1="line.at" y1="0" :x2="line.at" y2="${HEIGHT}"/><text :x="line.at + 4" y="${HEIGHT - 6}">{{ line.text }}</text></g>
          <g v-for="line in grid.across" :key="'a' + line.text"><line x1="0" :y1="line.at" x2="${WIDTH}" :y2="line.at"/><text x="4" :y="line.at - 4">{{ line.text }}</text></g>
        </g>
        <g v-for="one in shownPlaces" :key="one.key" class="dibs-map-place" :class="{ 'is-off': !one.active }">
          <rect :x="one.x - 6" :y="one.y - 6" width="12" height="12" rx="2"/><text :x="one.x + 10" :y="one.y + 4">{{ one.key }}</text>
        </g>
        <g v-for="one in shownFound" :key="one.key" class="dibs-map-found">
          <circle :cx="one.x" :cy="one.y" r="6"/><title>{{ one.name }}</title>
        </g>
        <text v-if="outside" x="${WIDTH / 2}" y="24" text-anchor="middle" class="dibs-map-note">{{ outside }} found outside this view</text>
      </svg>
      <div class="dibs-map-tools">
        <button type="button" class="dibs-button is-quiet is-small" aria-label="Closer" @click="zoom(0.5)">+</button>
        <button type="button" class="dibs-button is-quiet is-small" aria-label="Farther" @click="zoom(2)">−</button>
        <button v-for="one in places" :key="one.key" type="button" class="dibs-button is-quiet is-small" @click="fly(one)">{{ one.key }}</button>
        <span class="dibs-muted dibs-small" role="status">{{ words }}</span>
      </div>
    </div>`,
  data() {
    return { lat: this.start.lat, lng: this.start.lng, span: this.start.span, held: null };
  },
  computed: {
    perDegree() {
      return WIDTH / this.span;
    },
    bounds() {
      const half = (HEIGHT / 2) / this.perDegree;
      const middle = northing(this.lat);
      const side = Math.min(179.999, this.span / 2);
      return {
        ne: { lat: latitude(middle + half), lng: wrap(this.lng + side) },
        sw: { lat: latitude(middle - half), lng: wrap(this.lng - side) },
      };
    },
    words() {
      const miles = this.span * Math.cos(this.lat * RAD) * 69.09;
      return `${this.lat.toFixed(3)}, ${wrap(this.lng).toFixed(3)} · ${miles < 10 ? miles.toFixed(1) : Math.round(miles)} miles wide`;
    },
    grid() {
      const step = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 45].find((one) => this.span / one <= 7) || 45;
      const digits = step < 0.01 ? 3 : step < 0.1 ? 2 : step < 1 ? 1 : 0;
      const lines = (from, to) => {
        const found = [];
        for (let at = Math.ceil(from / step); at * step <= to; at++) found.push(at * step);
        return found;
      };
      const left = this.lng - this.span / 2;
      const up = lines(left, this.lng + this.span / 2).map((lng) => ({ at: (lng - left) * this.perDegree, text: wrap(lng).toFixed(digits) + "°" }));
      const across = lines(this.bounds.sw.lat, this.bounds.ne.lat).map((lat) => ({ at: this.point({ lat, lng: this.lng }).y, text: lat.toFixed(digits) + "°" }));
      return { up, across };
    },
    shownPlaces() {
      return this.places.map((one) => ({ ...one, ...this.point(one) })).filter(this.inside);
    },
    shownFound() {
      return this.found.map((one) => ({ ...one, ...this.point(one) })).filter(this.inside);
    },
    outside() {
      return this.found.length - this.shownFound.length;
    },
  },
  mounted() {
    this.tell();
  },
  unmounted() {
    clearTimeout(this.timer);
  },
  methods: {
    point(one) {
      return {
        x: WIDTH / 2 + wrap(one.lng - this.lng) * this.perDegree,
        y: HEIGHT / 2 - (northing(one.lat) - northing(this.lat)) * this.perDegree,
      };
    },
    inside(one) {
      return one.x >= 0 && one.x <= WIDTH && one.y >= 0 && one.y <= HEIGHT;
    },
    move(x, y) {
      this.lng = wrap(this.lng + x / this.perDegree);
      this.lat = Math.max(-84, Math.min(84, latitude(northing(this.lat) + y / this.perDegree)));
      this.tell();
    },
    zoom(times) {
      this.span = Math.max(0.002, Math.min(340, this.span * times));
      this.tell();
    },
    fly(one) {
      Object.assign(this, { lat: one.lat, lng: one.lng, span: 0.4 });
      this.tell();
    },
    grab(event) {
      this.held = { x: event.clientX, y: event.clientY };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    drag(event) {
      if (!this.held) return;
      const scale = WIDTH / event.currentTarget.getBoundingClientRect().width;
      this.move((this.held.x - event.clientX) * scale, (event.clientY - this.held.y) * scale);
      this.held = { x: event.clientX, y: event.clientY };
    },
    drop() {
      this.held = null;
    },
    wheel(event) {
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8);
    },
    key(event) {
      const step = WIDTH / 8;
      const acts = {
        ArrowLeft: () => this.move(-step, 0),
        ArrowRight: () => this.move(step, 0),
        ArrowUp: () => this.move(0, step),
        ArrowDown: () => this.move(0, -step),
        "+": () => this.zoom(0.5),
        "-": () => this.zoom(2),
      };
      if (!acts[event.key]) return;
      event.preventDefault();
      acts[event.key]();
    },
    tell() {
      clearTimeout(this.timer);
      const view = { bounds: this.bounds, lat: this.lat, lng: this.lng, span: this.span };
      this.timer = setTimeout(() => this.$emit("moved", view), 150);
    },
  },
};
