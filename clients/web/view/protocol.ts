// What the pages of results and their host say to each other, and what a node answers: see docs/editor.md.

export interface GridColumn {
    name: string;
    type: string;
    alignsRight: boolean;
}

// A value that a script has returned.
export interface ResultDescription {
    kind: "text" | "grid" | "chart";
    type: string;
    text?: string;
    handle?: number;
    rows?: number;
    columns?: GridColumn[];
}

export interface GridOrder {
    sort?: { column: number; isDescending: boolean };
    filter?: string;
}

export interface GridPage {
    total: number;
    rows: (string | null)[][];
}

export interface ChartPicture {
    svg: string;
    kind: string;
}

// The point of a chart that is nearest to a place of its x axis; shares are of the whole axis.
export interface ChartPoint {
    at: number;
    label: string;
    values: { name: string; text: string }[];
}

// Answers what the elements ask for. Rejects with an Error whose message is for a person.
export interface ResultSource {
    page(handle: number, offset: number, count: number, order: GridOrder): Promise<GridPage>;
    chart(
        handle: number,
        width: number,
        height: number,
        from: number,
        to: number,
        isDark: boolean,
    ): Promise<ChartPicture>;
    // Null where the chart has no points on an x axis.
    chartPoint(handle: number, at: number): Promise<ChartPoint | null>;
}
