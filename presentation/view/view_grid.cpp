#include "presentation/view/view_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "presentation/view/text_width.h"

namespace pelorus {

namespace {

constexpr size_t kGap = 2;            // blanks between columns
constexpr size_t kNarrowest = 12;     // strings are cut to no less than that before columns are left out
constexpr int64_t kMeasured = 2'000;  // maximum number of rows that determine the widths

struct MeasuredColumn {
    ViewColumn column;
    size_t natural = 0;  // width without any cut
    size_t narrowest = 0;
    size_t width = 0;
};

void forEachRow(const ShownRows& rows, const std::function<bool(int64_t)>& use) {
    for (int64_t i = 0; i < rows.head; ++i)
        if (!use(i)) return;
    for (int64_t i = rows.count - rows.tail; i < rows.count; ++i)
        if (!use(i)) return;
}

MeasuredColumn measured(ViewColumn column, const ShownRows& rows) {
    MeasuredColumn m;
    m.column = std::move(column);
    m.column.name = printableString(m.column.name);
    const size_t name = textWidth(m.column.name);
    size_t cells = textWidth(m.column.type);
    forEachRow(ShownRows(rows.count, rows.isWhole() ? kMeasured : rows.shown()), [&](int64_t row) {
        cells = std::max(cells, textWidth(m.column.cell(row).string));
        return true;
    });
    m.natural = std::max({name, cells, size_t{1}});
    m.narrowest =
        m.column.mayBeCut ? std::min(m.natural, kNarrowest) : std::max({cells, std::min(name, kNarrowest), size_t{1}});
    return m;
}

size_t totalWidth(const std::vector<MeasuredColumn>& columns) {
    size_t total = columns.empty() ? 0 : kGap * (columns.size() - 1);
    for (const MeasuredColumn& c : columns) total += c.width;
    return total;
}

// Narrows the widest columns, one character at a time, until all fit or none can be narrowed.
void fit(std::vector<MeasuredColumn>& columns, size_t width) {
    for (MeasuredColumn& c : columns) c.width = c.natural;
    for (size_t total = totalWidth(columns); total > width; --total) {
        MeasuredColumn* widest = nullptr;
        for (MeasuredColumn& c : columns) {
            if (c.width > c.narrowest && (!widest || c.width > widest->width)) widest = &c;
        }
        if (!widest) return;
        --widest->width;
    }
}

class GridWriter {
public:
    GridWriter(const ViewGrid& grid, const ViewOptions& options, const ViewSink& sink)
        : grid_(grid), options_(options), sink_(sink), styles_(options.colors), rows_(grid.rowCount, options.rows) {}

    void write() {
        chooseColumns();
        if (!writeHead() || !writeRows()) return;
        std::string foot;
        foot += styles_.dim;
        foot += fmt::format("{} × {}{}", counted(grid_.rowCount, "row"), counted(columnCount(), "column"), grid_.what);
        if (!rows_.isWhole()) foot += fmt::format(", {} shown", counted(rows_.shown(), "row"));
        foot += styles_.end;
        foot += '\n';
        if (isLeftOut()) foot += leftOutString();
        sink_(foot);
    }

private:
    int64_t columnCount() const { return grid_.columnCount - (grid_.hasLabels ? 1 : 0); }
    bool isLeftOut() const { return left_ + right_ < grid_.columnCount; }

    // Chooses as many columns from the left as the terminal takes, and the last one.
    void chooseColumns() {
        const auto limit = options_.width > 0 ? static_cast<size_t>(options_.width) : 0;
        const int64_t count = grid_.columnCount;
        std::vector<MeasuredColumn> last;
        size_t used = 0;
        while (left_ < count) {
            MeasuredColumn next = measured(grid_.column(left_), rows_);
            const size_t taken = next.narrowest + (left_ > 0 ? kGap : 0);
            const bool isFirst = left_ == 0 || (grid_.hasLabels && left_ == 1);
            if (limit > 0 && !isFirst && used + taken > limit) break;
            used += taken;
            columns_.push_back(std::move(next));
            ++left_;
        }
        if (left_ < count) {  // space for the ellipsis, and for the last column when it leaves some to the others
            MeasuredColumn end = measured(grid_.column(count - 1), rows_);
            const size_t ellipsis = kGap + 1;
            const size_t needed = ellipsis + kGap + end.narrowest;
            const size_t kept = grid_.hasLabels ? 2 : 1;
            size_t without = used;
            size_t n = columns_.size();
            while (n > kept && without + needed > limit) without -= columns_[--n].narrowest + kGap;
            if (without + needed <= limit) {
                right_ = 1;
            } else {
                for (without = used, n = columns_.size(); n > kept && without + ellipsis > limit;)
                    without -= columns_[--n].narrowest + kGap;
            }
            columns_.resize(n);
            left_ = static_cast<int64_t>(n);
            MeasuredColumn dots;
            dots.column = {"…", "", false, false, [](int64_t) { return ViewCell{"…", true}; }};
            dots.natural = dots.narrowest = 1;
            columns_.push_back(std::move(dots));
            if (right_ > 0) columns_.push_back(std::move(end));
        }
        if (limit > 0) {
            fit(columns_, limit);
        } else {
            for (MeasuredColumn& c : columns_) c.width = c.natural;
        }
    }

    // `style` colors the cell, not the blanks around it.
    static void append(std::string& line, const std::string& string, const MeasuredColumn& column, const char* style,
                       const char* end, bool isLast, bool mayBeCut) {
        const size_t width = textWidth(string);
        const size_t blanks = column.width > width ? column.width - width : 0;
        if (column.column.alignsRight) line.append(blanks, ' ');
        line += style;
        if (width > column.width && mayBeCut) {
            const size_t kept = prefixOfWidth(string, column.width - 1);
            line.append(string, 0, kept);
            line += "…";
            const size_t shown = textWidth(std::string_view(string).substr(0, kept)) + 1;
            if (shown < column.width && !isLast) line.append(column.width - shown, ' ');
        } else {
            line += string;
        }
        line += end;
        if (isLast) return;
        if (!column.column.alignsRight) line.append(blanks, ' ');
        line.append(kGap, ' ');
    }

    bool writeHead() {
        std::string names, types, dashes;
        bool hasTypes = false;
        for (size_t i = 0; i < columns_.size(); ++i) {
            const MeasuredColumn& c = columns_[i];
            const bool isLast = i + 1 == columns_.size();
            append(names, c.column.name, c, styles_.bold, styles_.end, isLast, true);
            append(types, c.column.type, c, styles_.dim, styles_.end, isLast, false);
            hasTypes = hasTypes || !c.column.type.empty();
            for (size_t k = 0; k < c.width; ++k) dashes += "─";
            if (!isLast) dashes.append(kGap, ' ');
        }
        std::string head = names + '\n';
        if (hasTypes) head += types.substr(0, types.find_last_not_of(' ') + 1) + '\n';
        return sink_(head + styles_.dim + dashes + styles_.end + '\n');
    }

    bool writeRows() {
        std::string lines;
        bool goesOn = true;
        constexpr size_t kPiece = 1 << 16;
        forEachRow(rows_, [&](int64_t row) {
            if (!rows_.isWhole() && row == rows_.count - rows_.tail) writeGapOfRows(lines);
            for (size_t i = 0; i < columns_.size(); ++i) {
                const MeasuredColumn& c = columns_[i];
                const ViewCell cell = c.column.cell(row);
                const bool isDim = cell.isNull || (grid_.hasLabels && i == 0);
                append(lines, cell.string, c, isDim ? styles_.dim : "", isDim ? styles_.end : "",
                       i + 1 == columns_.size(), c.column.mayBeCut);
            }
            lines += '\n';
            if (lines.size() >= kPiece) {
                goesOn = sink_(lines);
                lines.clear();
            }
            return goesOn;
        });
        if (goesOn && !rows_.isWhole() && rows_.tail == 0) writeGapOfRows(lines);
        return goesOn && (lines.empty() || sink_(lines));
    }

    void writeGapOfRows(std::string& lines) {
        for (size_t i = 0; i < columns_.size(); ++i)
            append(lines, "⋮", columns_[i], styles_.dim, styles_.end, i + 1 == columns_.size(), false);
        lines += '\n';
    }

    // Returns the names of the columns that are left out, on a few lines.
    std::string leftOutString() {
        const int64_t leftOut = grid_.columnCount - left_ - right_;
        std::string string = fmt::format("{} not shown:", counted(leftOut, "column"));
        const auto limit = static_cast<size_t>(options_.width) * 2;
        int64_t named = 0;
        for (; named < leftOut; ++named) {
            std::string name = (named > 0 ? ", " : " ") + printableString(grid_.column(left_ + named).name);
            constexpr size_t kLongName = 40;
            if (textWidth(name) > kLongName) name = name.substr(0, prefixOfWidth(name, kLongName - 1)) + "…";
            if (named > 0 && textWidth(string) + textWidth(name) > limit) break;
            string += name;
        }
        if (named < leftOut) string += fmt::format(" and {} more", groupedDigits(leftOut - named));
        return wrapped(string);
    }

    // Breaks a string at blanks into lines of the terminal's width.
    std::string wrapped(std::string_view string) const {
        std::string lines = styles_.dim;
        size_t width = 0;
        while (!string.empty()) {
            const size_t end = std::min(string.find(' '), string.size());
            const std::string_view word = string.substr(0, end);
            const size_t wide = textWidth(word);
            if (width > 0 && width + 1 + wide > static_cast<size_t>(options_.width)) {
                lines += '\n';
                width = 0;
            } else if (width > 0) {
                lines += ' ';
                ++width;
            }
            lines += word;
            width += wide;
            string.remove_prefix(std::min(end + 1, string.size()));
        }
        return lines + styles_.end + '\n';
    }

    const ViewGrid& grid_;
    const ViewOptions& options_;
    const ViewSink& sink_;
    const ViewStyles styles_;
    const ShownRows rows_;
    int64_t left_ = 0, right_ = 0;  // columns shown from the left, and from the right
    std::vector<MeasuredColumn> columns_;
};

}  // namespace

std::string groupedDigits(int64_t number) {
    std::string digits = std::to_string(number);
    const size_t first = number < 0 ? 1 : 0;
    for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
    return digits;
}

std::string counted(int64_t number, std::string_view noun) {
    return fmt::format("{} {}{}", groupedDigits(number), noun, number == 1 ? "" : "s");
}

void writeGrid(const ViewGrid& grid, const ViewOptions& options, const ViewSink& sink) {
    GridWriter(grid, options, sink).write();
}

void writeVertical(const ViewGrid& grid, const ViewOptions& options, const ViewSink& sink) {
    const ViewStyles styles(options.colors);
    const ShownRows rows(grid.rowCount, options.rows);
    std::vector<ViewColumn> columns;
    size_t width = 0;
    for (int64_t i = 0; i < grid.columnCount; ++i) {
        columns.push_back(grid.column(i));
        columns.back().name = printableString(columns.back().name);
        width = std::max(width, textWidth(columns.back().name));
    }
    bool goesOn = true;
    forEachRow(rows, [&](int64_t row) {
        std::string string;
        if (!rows.isWhole() && row == rows.count - rows.tail) string += "⋮\n";
        string += fmt::format("{}─── row {} ───{}\n", styles.dim, groupedDigits(row + 1), styles.end);
        for (const ViewColumn& column : columns) {
            const ViewCell cell = column.cell(row);
            string += styles.bold + column.name + styles.end;
            string.append(width - textWidth(column.name) + kGap, ' ');
            string += cell.isNull ? styles.dim + cell.string + styles.end : cell.string;
            string += '\n';
        }
        goesOn = sink(string);
        return goesOn;
    });
    if (!goesOn) return;
    std::string foot = fmt::format("{}{} × {}{}", styles.dim, counted(grid.rowCount, "row"),
                                   counted(grid.columnCount - (grid.hasLabels ? 1 : 0), "column"), grid.what);
    if (!rows.isWhole()) foot += fmt::format(", {} shown", counted(rows.shown(), "row"));
    sink(foot + styles.end + '\n');
}

}  // namespace pelorus
