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

export interface RunError {
    message: string;
    hint?: string;
    line?: number;
    character?: number;
    callStack?: string[];
}

export interface RunAnswer {
    values: ResultDescription[];
    millis: number;
    error?: RunError;
}

// How far a running script is. `total` is 0 where it is not known.
export interface Progress {
    work: string;
    done: number;
    total: number;
}

// A variable of the session. A field is null where the database knows no value of it.
export interface Variable {
    name: string;
    type: string;
    form: string;
    rows: number | null;
    columns: number | null;
    bytes: number | null;
    isShared: boolean | null;
}

export interface RunningJob {
    rootJobId: string;
    desc?: string | null;
    jobDesc?: string | null;
    userID?: string | null;
    receiveTime?: string | null;
    remoteIP?: string | null;
}

export interface BatchJob {
    jobId: string;
    userID?: string | null;
    jobDesc: string | null;
    startTime: string | null;
    endTime: string | null;
    errorMsg: string | null;
}

export interface Jobs {
    running: RunningJob[];
    batch: BatchJob[];
}

// The columns of a stored table.
export interface Schema {
    columns: { name: string; typeString: string; comment?: string | null }[];
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
