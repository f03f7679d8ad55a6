// A map that needs no tiles: a grid of degrees, points and areas. Drag or arrow keys move it, wheel or +/- zoom.
const MOST_LAT = 85;
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

export default {
  props: { points: Array, areas: Array, view: Object, label: String },
  template: `
    <div class="dibs-map" tabindex="0" role="application" :aria-label="label + '. Arrow keys move, plus and minus zoom.'"
         @pointerdown="grab" @pointermove="drag" @pointerup="drop" @pointercancel="drop" @wheel.prevent="wheel" @keydown="key" ref="map">
      <svg :viewBox="'0 0 ' + size.w + ' ' + size.h" aria-hidden="true">
        <g class="dibs-map-grid"><line v-for="line in grid" :key="line.key" v-bind="line.at" /><text v-for="line in grid" :key="'t' + line.key" :x="line.tx" :y="line.ty">{{ line.text }}</text></g>
        <circle v-for="area in drawnAreas" :key="area.id" class="dibs-map-area" :cx="area.x" :cy="area.y" :r="area.r"><title>{{ area.text }}</title></circle>
        <text v-for="area in drawnAreas" :key="'n' + area.id" class="dibs-map-name" :x="area.x" :y="area.y - area.r - 6">{{ area.text }}</text>
        <circle v-for="point in drawnPoints" :key="point.id" class="dibs-map-point" :class="'tone-' + point.tone" :cx="point.x" :cy="point.y" :r="point.size" @click="$emit('open', point.id)"><title>{{ point.text }}</title></circle>
      </svg>
      <div class="dibs-map-tools">
        <button type="button" class="dibs-button is-quiet is-small" aria-label="Zoom in" @click="zoom(0.6)">+</button>
        <button type="button" class="dibs-button is-quiet is-small" aria-label="Zoom out" @click="zoom(1.6)">−</button>
      </div>
      <p class="dibs-map-where">{{ where }}</p>
    </div>`,
  data() {
    return { lat: this.view.lat, lng: this.view.lng, span: this.view.span, size: { w: 800, h: 420 }, held: null };
  },
  computed: {
    perDegree() {
      return this.size.w / this.span;
    },
    // A degree of longitude shrinks towards the poles; without this, distances would look wrong.
    stretch() {
      return 1 / Math.max(0.1, Math.cos((this.lat * Math.PI) / 180));
    },
    drawnPoints() {
      return this.points.map((p) => ({ ...p, ...this.xy(p.lat, p.lng), size: p.size || 6 })).filter((p) => this.inside(p));
    },
    drawnAreas() {
      return this.areas.map((a) => ({ ...a, ...this.xy(a.lat, a.lng), r: (a.km / 111.2) * this.stretch * this.perDegree }));
    },
    grid() {
      const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60].find((s) => this.span / s <= 8) || 90;
      const digits = step < 0.1 ? 2 : step < 1 ? 1 : 0;
      const lines = [];
      const [w, h] = [this.size.w, this.size.h];
      for (let lng = Math.ceil((this.lng - this.span / 2) / step) * step; lng < this.lng + this.span / 2; lng += step) {
        const { x } = this.xy(this.lat, lng);
        lines.push({ key: `x${lng}`, at: { x1: x, x2: x, y1: 0, y2: h }, tx: x + 3, ty: h - 6, text: `${lng.toFixed(digits)}°` });
      }
      const tall = (this.span * h) / w / this.stretch;
      for (let lat = Math.ceil((this.lat - tall / 2) / step) * step; lat < this.lat + tall / 2; lat += step) {
        const { y } = this.xy(lat, this.lng);
        lines.push({ key: `y${lat}`, at: { x1: 0, x2: w, y1: y, y2: y }, tx: 3, ty: y - 3, text: `${lat.toFixed(digits)}°` });
      }
      return lines;
    },
    where() {
      const km = this.span * 111.2 * Math.cos((this.lat * Math.PI) / 180);
      return `${this.lat.toFixed(3)}, ${this.lng.toFixed(3)} · ${km < 10 ? km.toFixed(1) : Math.round(km)} km wide`;
    },
  },
  mounted() {
    this.watcher = new ResizeObserver(() => {
      this.size = { w: Math.max(200, this.$refs.map.clientWidth), h: Math.max(200, this.$refs.map.clientHeight) };
    });
    this.watcher.observe(this.$refs.map);
  },
  unmounted() {
    this.watcher.disconnect();
    clearTimeout(this.timer);
  },
  watch: {
    view(now) {
      [this.lat, this.lng, this.span] = [now.lat, now.lng, now.span];
    },
  },
  methods: {
    xy(lat, lng) {
      let off = lng - this.lng;
      if (off > 180) off -= 360;
      if (off < -180) off += 360;
      return { x: this.size.w / 2 + off * this.perDegree, y: this.size.h / 2 - (lat - this.lat) * this.stretch * this.perDegree };
    },
    inside(p) {
      return p.x > -20 && p.y > -20 && p.x < this.size.w + 20 && p.y < this.size.h + 20;
    },
    moved() {
      this.lat = clamp(this.lat, -MOST_LAT, MOST_LAT);
      this.lng = ((((this.lng + 180) % 360) + 360) % 360) - 180;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.tell(), 250);
    },
    tell() {
      const tall = (this.span * this.size.h) / this.size.w / this.stretch;
      const wrap = (lng) => ((((lng + 180) % 360) + 360) % 360) - 180;
      this.$emit("move", {
        ne: { lat: clamp(this.lat + tall / 2, -90, 90), lng: wrap(this.lng + this.span / 2) },
        sw: { lat: clamp(this.lat - tall / 2, -90, 90), lng: wrap(this.lng - this.span / 2) },
        lat: this.lat, lng: this.lng, span: this.span,
      });
    },
    zoom(by) {
      this.span = clamp(this.span * by, 0.005, 180);
      this.moved();
    },
    wheel(event) {
      this.zoom(event.deltaY < 0 ? 0.8 : 1.25);
    },
    grab(event) {
      if (event.target.closest("button")) return;
      this.held = { x: event.clientX, y: event.clientY, lat: this.lat, lng: this.lng };
    },
    drag(event) {
      if (!this.held || event.buttons === 0) return;
      this.lng = this.held.lng - (event.clientX - this.held.x) / this.perDegree;
      this.lat = this.held.lat + (event.clientY - this.held.y) / this.perDegree / this.stretch;
      this.moved();
    },
    drop() {
      this.held = null;
    },
    key(event) {
      const step = this.span / 8;
      const moves = { ArrowLeft: [0, -step], ArrowRight: [0, step], ArrowUp: [step / this.stretch, 0], ArrowDown: [-step / this.stretch, 0] };
      if (moves[event.key]) {
        event.preventDefault();
        this.lat += moves[event.key][0];
        this.lng += moves[event.key][1];
        this.moved();
      } else if (event.key === "+" || event.key === "=") this.zoom(0.6);
      else if (event.key === "-") this.zoom(1.6);
    },
  },
};
