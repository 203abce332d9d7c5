// <pelorus-chart>: a chart as the node draws it. Dragging over a part of the x axis shows that part; a double click
// shows all of it again. A pointer over the plot shows the values of the nearest point.
import type { ChartPoint, ResultSource } from "./protocol";

const kMinShare = 1e-6;

export class PelorusChart extends HTMLElement {
    private source!: ResultSource;
    private handle = 0;
    private from = 0;
    private to = 1;
    private isDark = false;
    private asked = 0;
    private readonly picture = document.createElement("div");
    private readonly mark = document.createElement("div");
    private readonly line = document.createElement("div");
    private readonly reading = document.createElement("div");
    private pointed: number | undefined; // the share of the whole x axis under the pointer
    private isReading = false;
    private readonly resized = new ResizeObserver(() => this.drawSoon());
    private timer: ReturnType<typeof setTimeout> | undefined;

    show(source: ResultSource, handle: number, isDark: boolean): void {
        this.source = source;
        this.handle = handle;
        this.isDark = isDark;
        [this.from, this.to] = [0, 1];
        this.picture.className = "picture";
        this.mark.className = "mark";
        this.mark.hidden = true;
        this.line.className = "line";
        this.reading.className = "reading";
        this.hideReading();
        this.replaceChildren(this.picture, this.mark, this.line, this.reading);
        this.tabIndex = 0;
        this.setAttribute("role", "group");
        this.ondblclick = () => this.showPart(0, 1);
        this.onpointerdown = (event) => this.begin(event);
        this.onpointermove = (event) => this.point(event);
        this.onpointerleave = () => this.hideReading();
        this.onkeydown = (event) => {
            const width = this.to - this.from;
            if (event.key === "ArrowLeft")
                this.showPart(Math.max(0, this.from - width / 4), Math.max(width, this.to - width / 4));
            if (event.key === "ArrowRight")
                this.showPart(Math.min(1 - width, this.from + width / 4), Math.min(1, this.to + width / 4));
            if (event.key === "+") this.showPart(this.from + width / 4, this.to - width / 4);
            if (event.key === "-") this.showPart(Math.max(0, this.from - width / 2), Math.min(1, this.to + width / 2));
            if (event.key === "0") this.showPart(0, 1);
        };
        void this.draw();
    }

    setDark(isDark: boolean): void {
        if (isDark === this.isDark) return;
        this.isDark = isDark;
        void this.draw();
    }

    connectedCallback(): void {
        this.resized.observe(this);
    }
    disconnectedCallback(): void {
        this.resized.disconnect();
    }

    private showPart(from: number, to: number): void {
        if (to - from < kMinShare) return;
        [this.from, this.to] = [from, to];
        void this.draw();
    }

    private begin(event: PointerEvent): void {
        if (event.button !== 0) return;
        this.focus();
        const box = this.getBoundingClientRect();
        const begin = event.clientX - box.left;
        this.setPointerCapture(event.pointerId);
        this.hideReading();
        this.onpointermove = (move) => {
            const now = move.clientX - box.left;
            this.mark.hidden = Math.abs(now - begin) < 4;
            this.mark.style.left = `${Math.min(begin, now)}px`;
            this.mark.style.width = `${Math.abs(now - begin)}px`;
        };
        this.onpointerup = (up) => {
            this.onpointermove = (event) => this.point(event);
            this.onpointerup = null;
            this.mark.hidden = true;
            const end = up.clientX - box.left;
            if (Math.abs(end - begin) < 4) return;
            const [left, right] = this.plotArea(box);
            const share = (x: number) =>
                this.from + (this.to - this.from) * Math.min(1, Math.max(0, (x - left) / (right - left)));
            this.showPart(share(Math.min(begin, end)), share(Math.max(begin, end)));
        };
    }

    private hideReading(): void {
        this.pointed = undefined;
        this.line.hidden = this.reading.hidden = true;
    }

    private point(event: PointerEvent): void {
        const box = this.getBoundingClientRect();
        const x = event.clientX - box.left;
        const [left, right] = this.plotArea(box);
        if (x < left || x > right || right <= left) return this.hideReading();
        this.pointed = this.from + ((this.to - this.from) * (x - left)) / (right - left);
        void this.read();
    }

    // One request at a time: the last place is read when the answer before it has come.
    private async read(): Promise<void> {
        if (this.isReading) return;
        this.isReading = true;
        try {
            for (let asked: number | undefined; this.pointed !== undefined && this.pointed !== asked;) {
                asked = this.pointed;
                const point = await this.source.chartPoint(this.handle, asked);
                if (this.pointed !== undefined) this.showReading(point);
            }
        } catch {
            this.hideReading();
        } finally {
            this.isReading = false;
        }
    }

    private showReading(point: ChartPoint | null): void {
        const [left, right] = this.plotArea(this.getBoundingClientRect());
        const share = point ? (point.at - this.from) / (this.to - this.from) : -1;
        this.line.hidden = this.reading.hidden = share < 0 || share > 1;
        if (!point || this.line.hidden) return;
        const x = left + share * (right - left);
        this.line.style.left = `${x}px`;
        const rows = point.values.map(({ name, text }) => {
            const row = document.createElement("div");
            row.textContent = `${name ? `${name}: ` : ""}${text || "NULL"}`;
            return row;
        });
        const head = document.createElement("b");
        head.textContent = point.label;
        this.reading.replaceChildren(head, ...rows);
        const isRight = x > this.clientWidth / 2;
        this.reading.style.left = isRight ? "" : `${x + 8}px`;
        this.reading.style.right = isRight ? `${this.clientWidth - x + 8}px` : "";
    }

    // The x axis is the longest horizontal line of the picture.
    private plotArea(box: DOMRect): [number, number] {
        let best: [number, number] = [0, box.width];
        let longest = 0;
        for (const line of this.picture.querySelectorAll("polyline")) {
            const points = (line.getAttribute("points") ?? "").split(" ");
            if (points.length !== 2) continue;
            const [x0, y0] = points[0].split(",").map(Number);
            const [x1, y1] = points[1].split(",").map(Number);
            if (y0 !== y1 || x1 - x0 <= longest) continue;
            longest = x1 - x0;
            best = [x0, x1];
        }
        return best;
    }

    private drawSoon(): void {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => void this.draw(), 60);
    }

    private async draw(): Promise<void> {
        if (!this.isConnected || !this.source || this.clientWidth === 0) return;
        const asked = ++this.asked;
        try {
            const answer = await this.source.chart(
                this.handle,
                this.clientWidth,
                Math.max(this.clientHeight, 120),
                this.from,
                this.to,
                this.isDark,
            );
            if (asked !== this.asked) return;
            // Parsed as an image's source, and so without scripts; then adopted, for titles that a pointer shows.
            const svg = new DOMParser().parseFromString(answer.svg, "image/svg+xml").documentElement;
            this.picture.replaceChildren(document.adoptNode(svg));
            this.setAttribute("aria-label", `${answer.kind} chart`);
        } catch (error) {
            if (asked === this.asked) this.picture.textContent = error instanceof Error ? error.message : String(error);
        }
    }
}

customElements.define("pelorus-chart", PelorusChart);
