// <pelorus-grid>: a table of any number of rows, of which it holds those in view.
//
// Rows come by pages from a ResultSource. A scrollbar of the browser cannot be longer than some ten million pixels:
// beyond that, its position is a share of all rows, and the wheel and the keys move by single rows.
import type { GridColumn, GridOrder, GridPage, ResultSource } from "./protocol";

const kRowHeight = 22;
const kMaxScrollHeight = 8_000_000;
const kPageRows = 200;
const kMaxPages = 40;
const kSavedRows = 10_000; // of a page of the rows that are saved
const kMinColumnWidth = 60;
const kMaxColumnWidth = 360;

export class PelorusGrid extends HTMLElement {
    private source!: ResultSource;
    private handle = 0;
    private columns: GridColumn[] = [];
    private total = 0;
    private allRows = 0;
    private order: GridOrder = {};
    private firstRow = 0;
    private pages = new Map<number, GridPage | "asked">();
    private generation = 0; // of the order: pages of an older one are dropped
    private selected = { row: 0, column: 0, endRow: 0, endColumn: 0 };
    private widths: number[] = [];
    private readonly resizedColumns = new Set<number>();
    private isFollowing = false; // the scrollbar is being set by us

    private readonly filter = document.createElement("input");
    private readonly status = document.createElement("span");
    private readonly problem = document.createElement("div");
    private readonly scroller = document.createElement("div");
    private readonly filler = document.createElement("div");
    private readonly viewport = document.createElement("div");
    private readonly head = document.createElement("div");
    private readonly body = document.createElement("div");
    private readonly resized = new ResizeObserver(() => this.draw());

    show(source: ResultSource, handle: number, columns: GridColumn[], rows: number): void {
        this.source = source;
        this.handle = handle;
        this.columns = columns;
        this.total = this.allRows = rows;
        this.order = {};
        this.firstRow = 0;
        this.pages.clear();
        ++this.generation;
        this.widths = columns.map((column) =>
            Math.min(
                kMaxColumnWidth,
                Math.max(
                    kMinColumnWidth,
                    16 + 8 * Math.max(column.name.length + 2, column.type.length, column.alignsRight ? 10 : 6),
                ),
            ),
        );
        this.build();
        this.draw();
    }

    // Returns the rows as they are shown, filtered and sorted, as CSV. `onProgress` is told how many have come, and ends
    // the work when it returns false: the result is null then.
    async csv(onProgress: (rows: number) => boolean): Promise<Blob | null> {
        const parts: string[] = [this.columns.map(({ name }) => csvField(name)).join(",") + "\r\n"];
        const { source, handle, order } = this;
        for (let offset = 0, total = 1; offset < total;) {
            const answer = await source.page(handle, offset, kSavedRows, order);
            total = answer.total;
            if (answer.rows.length === 0) break;
            parts.push(answer.rows.map((row) => row.map(csvField).join(",") + "\r\n").join(""));
            offset += answer.rows.length;
            if (!onProgress(offset)) return null;
        }
        return new Blob(parts, { type: "text/csv" });
    }

    connectedCallback(): void {
        this.resized.observe(this);
    }
    disconnectedCallback(): void {
        this.resized.disconnect();
    }

    private build(): void {
        this.replaceChildren();
        this.tabIndex = 0;
        this.setAttribute("role", "group");
        this.setAttribute("aria-label", "Table");
        this.scroller.setAttribute("role", "grid");
        this.body.setAttribute("role", "rowgroup");
        const bar = element("div", "bar");
        this.filter.type = "text";
        this.filter.value = "";
        this.filter.placeholder = 'Filter: a condition, as price > 10 and sym == "A"';
        this.filter.setAttribute("aria-label", "Filter rows by a condition");
        this.filter.onkeydown = (event) => {
            event.stopPropagation();
            if (event.key === "Enter") this.setOrder({ ...this.order, filter: this.filter.value.trim() });
            if (event.key === "Escape") {
                this.filter.value = this.order.filter ?? "";
                this.focus();
            }
        };
        this.status.className = "status";
        bar.append(this.filter, this.status);
        this.problem.className = "problem";
        this.problem.setAttribute("role", "alert");
        this.problem.hidden = true;
        this.scroller.className = "scroller";
        this.viewport.className = "viewport";
        this.head.className = "head";
        this.head.setAttribute("role", "row");
        this.body.className = "body";
        this.viewport.replaceChildren(this.head, this.body);
        this.filler.className = "filler";
        this.scroller.replaceChildren(this.viewport, this.filler);
        this.append(bar, this.problem, this.scroller);
        this.scroller.onscroll = () => this.scrolled();
        this.scroller.onwheel = (event) => this.wheeled(event);
        this.onkeydown = (event) => this.keyPressed(event);
        this.body.onmousedown = (event) => this.pick(event);
        this.oncopy = (event) => this.copy(event);
        this.drawHead();
    }

    private setOrder(order: GridOrder): void {
        this.order = order;
        this.firstRow = 0;
        this.pages.clear();
        ++this.generation;
        this.scroller.scrollTop = 0;
        this.problem.hidden = true;
        this.classList.add("waiting");
        this.drawHead();
        void this.ask(0);
    }

    private drawHead(): void {
        const corner = cell("#", "number corner", this.numberWidth());
        corner.setAttribute("role", "columnheader");
        this.head.replaceChildren(corner);
        this.columns.forEach((column, i) => {
            const label = cell("", column.alignsRight ? "right" : "", this.widths[i]);
            label.setAttribute("role", "columnheader");
            const sort = this.order.sort?.column === i ? (this.order.sort.isDescending ? " ↓" : " ↑") : "";
            label.append(element("b", "", column.name + sort), element("i", "", column.type));
            label.title = `${column.name} (${column.type}). Click to sort.`;
            if (sort) label.setAttribute("aria-sort", this.order.sort!.isDescending ? "descending" : "ascending");
            label.onclick = () => this.sortBy(i);
            const grip = element("div", "grip");
            grip.onclick = (event) => event.stopPropagation();
            grip.onpointerdown = (event) => this.resizeColumn(event, i, grip);
            label.append(grip);
            this.head.append(label);
        });
    }

    private sortBy(column: number): void {
        const sort = this.order.sort;
        const next =
            sort?.column !== column
                ? { column, isDescending: false }
                : sort.isDescending
                  ? undefined
                  : { column, isDescending: true };
        this.setOrder({ ...this.order, sort: next });
    }

    private resizeColumn(event: PointerEvent, column: number, grip: HTMLElement): void {
        event.preventDefault();
        const begin = event.clientX - this.widths[column];
        grip.setPointerCapture(event.pointerId);
        grip.onpointermove = (move) => {
            this.resizedColumns.add(column);
            this.widths[column] = Math.max(24, move.clientX - begin);
            (this.head.children[column + 1] as HTMLElement).style.width = `${this.widths[column]}px`;
            this.draw();
        };
        grip.onpointerup = () => {
            grip.onpointermove = null;
        };
    }

    private numberWidth(): number {
        return 24 + 8 * Math.max(2, String(this.total).length);
    }
    private visibleRows(): number {
        return Math.max(1, Math.floor((this.scroller.clientHeight - this.head.offsetHeight) / kRowHeight));
    }
    private lastFirstRow(): number {
        return Math.max(0, this.total - this.visibleRows());
    }
    private scrollHeightOfRows(): number {
        return Math.min(kMaxScrollHeight, (this.total + 1) * kRowHeight + this.head.offsetHeight);
    }
    private isScaled(): boolean {
        return (this.total + 1) * kRowHeight > kMaxScrollHeight;
    }

    private scrolled(): void {
        if (this.isFollowing) {
            this.isFollowing = false;
            this.draw();
            return;
        }
        const most = this.scroller.scrollHeight - this.scroller.clientHeight;
        const top = this.scroller.scrollTop;
        this.firstRow = this.isScaled()
            ? Math.round((top / Math.max(most, 1)) * this.lastFirstRow())
            : Math.floor(top / kRowHeight);
        this.firstRow = Math.min(this.firstRow, this.lastFirstRow());
        this.draw();
    }

    private wheeled(event: WheelEvent): void {
        if (!this.isScaled() || event.deltaY === 0 || event.shiftKey) return;
        event.preventDefault();
        const rows = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY : event.deltaY / kRowHeight;
        this.goTo(this.firstRow + (Math.abs(rows) < 1 ? Math.sign(rows) : Math.round(rows)));
    }

    // Makes a row the first one in view.
    goTo(row: number): void {
        this.firstRow = Math.min(Math.max(0, row), this.lastFirstRow());
        const most = this.scroller.scrollHeight - this.scroller.clientHeight;
        const top = this.isScaled()
            ? (this.firstRow / Math.max(this.lastFirstRow(), 1)) * most
            : this.firstRow * kRowHeight;
        if (Math.abs(this.scroller.scrollTop - top) >= 1) {
            this.isFollowing = true;
            this.scroller.scrollTop = top;
        }
        this.draw();
    }

    private keyPressed(event: KeyboardEvent): void {
        const jump = this.visibleRows() - 1;
        const s = this.selected;
        const all = event.ctrlKey || event.metaKey;
        const moves: Record<string, [number, number]> = {
            ArrowUp: [-1, 0],
            ArrowDown: [1, 0],
            ArrowLeft: [0, -1],
            ArrowRight: [0, 1],
            PageUp: [-jump, 0],
            PageDown: [jump, 0],
            Home: all ? [-this.total, 0] : [0, -this.columns.length],
            End: all ? [this.total, 0] : [0, this.columns.length],
        };
        if (event.key === "f" && all) {
            event.preventDefault();
            this.filter.focus();
            return;
        }
        const move = moves[event.key];
        if (!move) return;
        event.preventDefault();
        s.endRow = Math.min(Math.max(0, s.endRow + move[0]), Math.max(0, this.total - 1));
        s.endColumn = Math.min(Math.max(0, s.endColumn + move[1]), this.columns.length - 1);
        if (!event.shiftKey) [s.row, s.column] = [s.endRow, s.endColumn];
        const last = this.firstRow + this.visibleRows() - 1;
        if (s.endRow < this.firstRow) this.goTo(s.endRow);
        else if (s.endRow > last) this.goTo(s.endRow - this.visibleRows() + 1);
        else this.draw();
        this.body.querySelector(".selected")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    private pick(event: MouseEvent): void {
        const target = (event.target as HTMLElement).closest<HTMLElement>("[data-row]");
        if (!target) return;
        const [row, column] = [Number(target.dataset.row), Number(target.dataset.column)];
        this.selected = event.shiftKey
            ? { ...this.selected, endRow: row, endColumn: column }
            : { row, column, endRow: row, endColumn: column };
        this.draw();
    }

    // Copies the selected cells, as far as they are loaded, as text with tabs.
    private copy(event: ClipboardEvent): void {
        if (event.target === this.filter) return;
        const s = this.selected;
        const lines: string[] = [];
        for (let row = Math.min(s.row, s.endRow); row <= Math.max(s.row, s.endRow); ++row) {
            const cells = this.rowOf(row);
            if (!cells) break;
            lines.push(
                cells
                    .slice(Math.min(s.column, s.endColumn), Math.max(s.column, s.endColumn) + 1)
                    .map((text) => text ?? "")
                    .join("\t"),
            );
        }
        event.clipboardData?.setData("text/plain", lines.join("\n"));
        event.preventDefault();
    }

    private rowOf(row: number): (string | null)[] | undefined {
        const page = this.pages.get(Math.floor(row / kPageRows));
        return page && page !== "asked" ? page.rows[row % kPageRows] : undefined;
    }

    private async ask(page: number): Promise<void> {
        if (this.pages.has(page)) return;
        const generation = this.generation;
        this.pages.set(page, "asked");
        try {
            const answer = await this.source.page(this.handle, page * kPageRows, kPageRows, this.order);
            if (generation !== this.generation) return;
            this.classList.remove("waiting");
            if (answer.rows.length < Math.min(kPageRows, answer.total - page * kPageRows))
                await this.askRest(page, answer);
            if (generation !== this.generation) return;
            this.total = answer.total;
            // The oldest page goes, unless it is in view.
            if (this.pages.size > kMaxPages) this.pages.delete(this.pages.keys().next().value!);
            this.pages.delete(page);
            this.pages.set(page, answer);
            this.widen(answer);
            this.draw();
        } catch (error) {
            if (generation !== this.generation) return;
            this.classList.remove("waiting");
            this.pages.delete(page);
            this.problem.textContent = error instanceof Error ? error.message : String(error);
            this.problem.hidden = false;
        }
    }

    // Makes columns as wide as what arrives needs, up to a limit; those that somebody has resized stay.
    private widen(page: GridPage): void {
        let isChanged = false;
        this.columns.forEach((_, i) => {
            if (this.resizedColumns.has(i)) return;
            const longest = page.rows.reduce((most, row) => Math.max(most, row[i]?.length ?? 4), 0);
            const wanted = Math.min(kMaxColumnWidth, 18 + 7.6 * longest);
            if (wanted <= this.widths[i]) return;
            this.widths[i] = wanted;
            isChanged = true;
        });
        if (isChanged) this.drawHead();
    }

    // A node answers fewer rows than asked where there are many columns.
    private async askRest(page: number, answer: GridPage): Promise<void> {
        const wanted = Math.min(kPageRows, answer.total - page * kPageRows);
        while (answer.rows.length < wanted) {
            const more = await this.source.page(
                this.handle,
                page * kPageRows + answer.rows.length,
                wanted - answer.rows.length,
                this.order,
            );
            if (more.rows.length === 0) return;
            answer.rows.push(...more.rows);
        }
    }

    private draw(): void {
        if (!this.isConnected || this.columns.length === 0) return;
        this.filler.style.height = `${this.scrollHeightOfRows()}px`;
        this.viewport.style.height = `${this.scroller.clientHeight}px`;
        this.scroller.setAttribute("aria-rowcount", String(this.total));
        this.firstRow = Math.min(this.firstRow, this.lastFirstRow());
        const end = Math.min(this.total, this.firstRow + this.visibleRows() + 1);
        for (
            let page = Math.floor(this.firstRow / kPageRows);
            page <= Math.floor(Math.max(this.firstRow, end - 1) / kPageRows);
            ++page
        )
            void this.ask(page);
        const s = this.selected;
        const rows: HTMLElement[] = [];
        for (let row = this.firstRow; row < end; ++row) {
            const cells = this.rowOf(row);
            const line = element("div", row % 2 ? "row odd" : "row");
            line.setAttribute("role", "row");
            const number = cell(String(row), "number", this.numberWidth());
            number.setAttribute("role", "rowheader");
            line.append(number);
            this.columns.forEach((column, i) => {
                const text = cells ? cells[i] : "…";
                const isSelected =
                    row >= Math.min(s.row, s.endRow) &&
                    row <= Math.max(s.row, s.endRow) &&
                    i >= Math.min(s.column, s.endColumn) &&
                    i <= Math.max(s.column, s.endColumn);
                const classes =
                    (column.alignsRight ? "right" : "") +
                    (text === null ? " null" : "") +
                    (isSelected ? " selected" : "");
                const c = cell(text === null ? "NULL" : text, classes, this.widths[i]);
                c.setAttribute("role", "gridcell");
                c.dataset.row = String(row);
                c.dataset.column = String(i);
                line.append(c);
            });
            rows.push(line);
        }
        this.body.replaceChildren(...rows);
        const shown =
            this.total === this.allRows
                ? `${this.total.toLocaleString("en-US")} rows`
                : `${this.total.toLocaleString("en-US")} of ${this.allRows.toLocaleString("en-US")} rows`;
        this.status.textContent = `${shown} × ${this.columns.length} columns`;
    }
}

function element(tag: string, classes: string, text = ""): HTMLElement {
    const e = document.createElement(tag);
    e.className = classes;
    e.textContent = text;
    return e;
}

function cell(text: string, classes: string, width: number): HTMLElement {
    const e = element("div", `cell ${classes}`, text);
    e.style.width = `${width}px`;
    return e;
}

// NULL is an empty field, as the empty string is NULL.
function csvField(text: string | null): string {
    return text !== null && /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : (text ?? "");
}

customElements.define("pelorus-grid", PelorusGrid);
